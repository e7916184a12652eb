// What a PNG file says of itself in words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::store {

/// The uncompressed texts (tEXt and iTXt) in front of the pixels. Nothing if it is no whole PNG
/// file: the end is looked for, what lies between is not read.
std::optional<std::vector<std::pair<std::string, std::string>>> read_png_text(
    const std::string& path);

}  // namespace tessera::store
