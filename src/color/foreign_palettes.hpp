// Palettes in files of other programs that are no lists of colours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "color/palette.hpp"

namespace tessera::color {

/// The palette of a text of Ultra Fractal (.ugr, or a gradient: of a .upr), GIMP (.ggr) or Kalles
/// Fraktaler (.kfr, .kfp); nothing for other texts. `entry` names one of several gradients, or is
/// "". Throws a usage error that begins with `path`.
std::optional<Palette> parse_foreign_palette(std::string_view text, const std::string& path,
                                             const std::string& entry = "");

}  // namespace tessera::color
