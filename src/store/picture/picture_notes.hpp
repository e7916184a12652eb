// Texts in pictures that other programs made, where some keep the place of a fractal.
#pragma once

#include <optional>
#include <string>

#include "store/picture/picture_format.hpp"

namespace tessera::store {

/// The texts of a PNG (tEXt, iTXt), JPEG (comments, joined), TIFF (ImageDescription) or OpenEXR
/// file (string attributes), each with its key. Nothing for other files. The pixels are not read.
std::optional<PictureTexts> read_picture_notes(const std::string& path);

/// Those of an OpenEXR file alone.
std::optional<PictureTexts> read_exr_notes(const std::string& path);

}  // namespace tessera::store
