// Blocks of wide images with exact arithmetic, a pixel at a time: f64 with a bound, then 106 bits,
// then MPFR.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "device/device.hpp"
#include "device/pixels/exact_orbit.hpp"

namespace tessera::device {

/// The values of a pixel as they are stored.
struct ExactValue {
  std::uint64_t count = 0;
  job::PerField<float> more;
  bool certain = true;  ///< the count, by a bound of the errors of the most bits
};

/// Of a pixel whose count is certain.
ExactValue value_of(const ExactWork& work, const ExactPixel& pixel);
/// Of a pixel that 106 bits leave open: in fixed point, or by its definition with MPFR.
ExactValue defined_value(const ExactWork& work, std::int64_t column, std::int64_t row);

/// A pixel of a block that f64 has given up.
struct OpenPixel {
  std::uint32_t at = 0;  ///< row * width + column
  std::uint64_t open_at = 0;
  ExactValue value{};
};

/// Computes the values of such pixels. Throws Interrupted when `unwanted` says so.
BlockCounts finish_exact(const ExactWork& work, const base::PixelRect& block,
                         std::span<OpenPixel> pixels, const std::function<bool()>& unwanted);

/// Whether GPUs follow the orbits of the image by blocks. Others are computed a pixel at a time.
inline bool has_blocks(const ExactWork& work) {
  return work.exact.limits.careful == 0 && work.image.iterations > 2;
}

/// Throws Interrupted when `unwanted` says so.
BlockCounts render_exact_block(const job::ImageSpec& image, const base::PixelRect& block,
                               const BlockBuffers& out, bool shortcuts = true,
                               const std::function<bool()>& unwanted = {});

}  // namespace tessera::device
