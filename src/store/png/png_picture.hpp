// The functions of the row PNG (store/picture/picture_format.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "store/picture/picture_format.hpp"

namespace tessera::store::png {

/// The bands are parts of one zlib stream (codec/png_band.hpp).
std::unique_ptr<BandEncoder> make_encoder();
std::size_t encoder_bytes(std::size_t band_bytes);
std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts);
PictureOnDisk look(const std::string& path);

}  // namespace tessera::store::png
