// Widths of the images of a zoom, as decimals.
#pragma once

#include <string>

namespace tessera::deep {

/// `width` * `factor`^`times` to 40 digits. Both are decimals above 0.
std::string widened(const std::string& width, const std::string& factor, int times);

/// `wide` / `narrow`, decimals above 0.
double ratio_of_widths(const std::string& wide, const std::string& narrow);

}  // namespace tessera::deep
