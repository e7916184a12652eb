// A small PNG image in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/png_band.hpp"

namespace tessera::codec {

/// The whole file of an image with 8 bits a channel, sRGB. `pixels`: rows of width_px *
/// channels bytes, top first; 3 channels are RGB, 4 RGBA.
std::vector<std::byte> encode_png(PngBandEncoder& encoder, std::span<const std::byte> pixels,
                                  std::uint32_t width_px, std::size_t channels);

}  // namespace tessera::codec
