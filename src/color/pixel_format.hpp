// Pixels as pictures store them: 8 or 16 bits a channel, with or without alpha.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "color/pixel.hpp"

namespace tessera::color {

struct PixelFormat {
  int depth = 8;  ///< bits a channel: 8 or 16
  bool alpha = false;
  bool light = false;  ///< of depth 16: f16 of linear light, as the processor has them
  /// Ordered dithering of 8-bit colours: the threshold of rounding follows the R2 sequence
  /// (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018) of the pixel's
  /// place, so that gradients have no steps. It depends on the place alone. Colours that 8 bits
  /// hold exactly stay as they are.
  bool dither = false;

  std::size_t bytes() const { return static_cast<std::size_t>(depth) / 8 * (alpha ? 4 : 3); }
};

/// Stores pixels from column `x` of row `y` of the picture: pixels.size() * format.bytes() bytes,
/// 16-bit codes with the high byte first.
void store_pixels(const PixelFormat& format, std::span<const Pixel> pixels, std::int64_t x,
                  std::int64_t y, std::byte* out);

}  // namespace tessera::color
