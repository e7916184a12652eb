// One orbit at a time with a bound of its errors: what every device computes for a pixel of a wide
// image with exact arithmetic (docs/numerics-exact.md).
#pragma once

#include <cstdint>

#include "device/pixels/exact_limits.hpp"

namespace tessera::device {

enum class Certainty { open, counted };

/// What is known of a pixel after one of the two orbits.
struct ExactPixel {
  Certainty certainty = Certainty::open;
  std::uint64_t count = 0;
  std::uint64_t m = 0;  ///< for `smooth`, if it escaped
  double radius2 = 0;   ///< |z_m|^2
  double distance = 0;  ///< if it escaped; not from f64
  std::uint64_t executed = 0;
};

struct ExactWork {
  const job::ImageSpec& image;
  const ExactImage& exact;
  job::MoreFields fields;
  bool shortcuts = true;
};

/// The pixel's coordinates with 106 bits. Their leading parts are those of the orbit in f64.
kernels::TsLongPoint exact_coordinates(const ExactWork& work, std::int64_t column,
                                       std::int64_t row);

/// The orbit in f64. `distance` is not set.
ExactPixel bounded_orbit(const ExactWork& work, const kernels::TsLongPoint& at);
/// The orbit with 106 bits.
ExactPixel long_orbit(const ExactWork& work, const kernels::TsLongPoint& at);

}  // namespace tessera::device
