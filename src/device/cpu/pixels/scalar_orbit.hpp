// One pixel at a time: for machines without a fused multiply-add in their vectors, and for the
// few pixels and jobs for which the vector path's reasoning does not hold.
#pragma once

#include <cstdint>

#include "device/cpu/pixels/band.hpp"

namespace tessera::device::cpu {

/// Within this |multiplier|^2 an orbit is drawn to its cycle far faster than rounding can push it
/// out, so a pixel of the cardioid or the disc cannot escape (docs/numerics.md).
inline constexpr double kSurelyInside = 1 - 1e-5;

/// |z|^2 beyond which the smooth count is taken: 256^2.
inline constexpr double kSmoothRadius2 = 65536;

struct OrbitLimits {
  std::uint32_t iterations = 0;  ///< N
  double bailout2 = 4;           ///< R^2
  bool smooth = false;
  bool shortcuts = true;
};

OrbitLimits orbit_limits(const Band& band);

struct PixelValue {
  std::uint32_t iterations = 0;
  float smooth = 0;
  std::uint64_t executed = 0;
};

PixelValue scalar_orbit(double c_re, double c_im, const OrbitLimits& limits);

/// A whole band by scalar_orbit().
BlockCounts render_scalar(const Band& band);

}  // namespace tessera::device::cpu
