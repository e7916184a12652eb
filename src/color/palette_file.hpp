// Reads palettes from text files in the formats of other programs.
#pragma once

#include <istream>
#include <string>

#include "color/palette.hpp"

namespace tessera::color {

/// Reads the formats listed at find_palette(). `path` names the file in messages and becomes the
/// palette's name. Throws a usage error "path:line: ..." for a line that is no colour.
Palette parse_palette(std::istream& text, const std::string& path);

/// parse_palette() of the file; missing error if it cannot be opened.
Palette read_palette(const std::string& path);

}  // namespace tessera::color
