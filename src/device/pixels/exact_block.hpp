// Blocks of wide images with exact arithmetic, a pixel at a time: f64 with a bound, then 106 bits,
// then MPFR.
#pragma once

#include <cstdint>
#include <functional>

#include "device/device.hpp"
#include "device/pixels/exact_orbit.hpp"

namespace tessera::device {

/// The values of a pixel as they are stored.
struct ExactValue {
  std::uint64_t count = 0;
  float smooth = 0, distance = 0;
  bool certain = true;  ///< the count, by a bound of the errors of the most bits
};

/// Of a pixel whose count is certain.
ExactValue value_of(const ExactWork& work, const ExactPixel& pixel);
/// Of a pixel that 106 bits leave open: in fixed point, or by its definition with MPFR.
ExactValue defined_value(const ExactWork& work, std::int64_t column, std::int64_t row);

/// Throws Interrupted when `unwanted` says so.
BlockCounts render_exact_block(const job::ImageSpec& image, const base::PixelRect& block,
                               const BlockBuffers& out, bool shortcuts = true,
                               const std::function<bool()>& unwanted = {});

}  // namespace tessera::device
