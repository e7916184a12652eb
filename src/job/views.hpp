// Named views of interesting places.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::job {

struct View {
  std::string_view name;
  std::string_view description;  ///< one line
  std::string_view center;       ///< "RE,IM", decimal
  std::string_view width;
  std::uint32_t iterations;  ///< enough to show the place
  std::string_view formula = "mandelbrot";
};

std::span<const View> views();
/// Throws a usage error that begins with `what` and has the nearest name if there is no view of
/// that name.
const View& find_view(std::string_view name, std::string_view what = "--view");

}  // namespace tessera::job
