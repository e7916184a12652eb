// One pixel of a deep image: steps with exponents of their own while the difference from the
// reference is below f64's range, and the loop of kernels/deep/advance.h.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"

namespace tessera::deep {

struct DeepResult {
  std::uint32_t count = 0;
  double smooth = 0;               ///< if the image has it
  bool certain = true;             ///< false: rounding may have changed the count
  std::uint32_t steps = 0;         ///< of the loop in f64
  std::uint32_t scaled_steps = 0;  ///< before it
};

/// A pixel before its first iteration; rows count from the top.
kernels::TsDeepPixel start_pixel(const DeepImage& image, std::int64_t column, std::int64_t row);

/// Advances a pixel while |z| is below f64's range. Returns TS_DEEP_DONE, or TS_DEEP_SMALL if it is to be continued in f64.
std::uint32_t scaled_phase(const DeepImage& image, kernels::TsDeepPixel& pixel);

/// The pixel in this column and row; rows count from the top.
DeepResult deep_pixel(const DeepImage& image, std::int64_t column, std::int64_t row);

}  // namespace tessera::deep
