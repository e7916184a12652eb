// One pixel of a deep image: the phase with exponents of its own, then the phase in f64.
#pragma once

#include <cstdint>

#include "deep/jump_table.hpp"
#include "deep/reference_orbit.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

struct DeepImage {
  ReferenceOrbit orbit;
  JumpTable table;
  kernels::ScaledReal c_radius;  ///< a power of two
  kernels::TsDeepLimits limits{};
};

struct DeepResult {
  std::uint32_t count = 0;
  bool certain = true;
  std::uint32_t steps = 0;
  std::uint32_t scaled_steps = 0;
};

/// The pixel at c = reference + (c_re + i c_im) c_radius.
DeepResult deep_pixel(const DeepImage& image, double c_re, double c_im);

}  // namespace tessera::deep
