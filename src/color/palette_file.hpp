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

/// Reads a palette in the format of docs/pictures.md. `path` names the file in messages and becomes
/// the palette's name. Throws a usage error "path:line: ..." for a line that is no colour.
Palette parse_palette(std::istream& text, const std::string& path);

/// parse_palette() of the file; missing error if it cannot be opened.
Palette read_palette(const std::string& path);

}  // namespace tessera::color
