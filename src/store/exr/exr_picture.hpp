// The functions of the row EXR (store/picture/picture_format.hpp): channels and attributes are
// those of Kalles Fraktaler (docs/pictures.md, "Data for other programs").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "store/picture/picture_format.hpp"

namespace tessera::store::exr {

/// Blocks of rows that wait for compression, and those that it makes.
inline constexpr std::uint64_t kWriterBytes = std::uint64_t{64} << 20;

/// Bands stay as they are.
std::unique_ptr<BandEncoder> make_encoder();
std::size_t encoder_bytes(std::size_t band_bytes);
std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts);

}  // namespace tessera::store::exr
