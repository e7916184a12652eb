// Reads palettes from text files in the formats of other programs.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "color/palette.hpp"

namespace tessera::color {

/// A colour as "R G B" or "R,G,B" with numbers from 0 to 255, or "#rrggbb". Throws a usage error
/// that begins with `what`.
Rgb parse_color(std::string_view text, const std::string& what);

/// Reads a palette in the formats of docs/pictures.md. `path` names the file in messages and
/// becomes the palette's name; `entry` names one of several in it. Throws a usage error "path:line:
/// ..." for a line that is no colour.
Palette parse_palette(std::istream& file, const std::string& path, const std::string& entry = "");

/// parse_palette() of the file, or of the entry in FILE:ENTRY; missing error if it cannot be
/// opened.
Palette read_palette(const std::string& path);

}  // namespace tessera::color
