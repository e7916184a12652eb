// Reads the texts of a PNG file.
#pragma once

#include <optional>
#include <string>

#include "store/picture/picture_format.hpp"

namespace tessera::store {

/// Which texts are read: Tessera writes its own before the pixels.
enum class PngTexts { before_pixels, all };

/// The uncompressed texts (tEXt and iTXt). Nothing if it is not a whole PNG file: the end must be
/// there; the pixels are not read.
std::optional<PictureTexts> read_png_text(const std::string& path,
                                          PngTexts which = PngTexts::before_pixels);

/// The size that the head of a PNG file says; nothing for other files.
std::optional<base::ImageSize> png_size(const std::string& path);

}  // namespace tessera::store
