// The functions of the row TIFF (store/picture/picture_format.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "store/picture/picture_format.hpp"

namespace tessera::store::tiff_picture {

/// A strip in two forms, and the table of strips.
inline constexpr std::uint64_t kWriterBytes = std::uint64_t{8} << 20;

/// Bands stay as they are, but for the order of the bytes.
std::unique_ptr<BandEncoder> make_encoder();
std::size_t encoder_bytes(std::size_t band_bytes);
/// Strips of deflated rows. A BigTIFF where the picture might not fit into 4 GiB.
std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts);

}  // namespace tessera::store::tiff_picture
