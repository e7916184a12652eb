// Palettes from text files, as other programs write them.
#pragma once

#include <istream>
#include <string>

#include "color/palette.hpp"

namespace tessera::color {

/// Reads the format that find_palette() tells of; `path` names the file in messages and becomes the
/// palette's name. Usage error "path:line: ..." for a line that is no colour.
Palette parse_palette(std::istream& text, const std::string& path);

/// parse_palette() of the file; missing error if it cannot be opened.
Palette read_palette(const std::string& path);

}  // namespace tessera::color
