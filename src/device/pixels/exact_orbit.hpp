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
  std::uint64_t open_at = 0;  ///< the n at which it was given up; 0 if its first steps decided
  std::uint64_t m = 0;        ///< for `smooth`, if it escaped
  double radius2 = 0;         ///< |z_m|^2
  double distance = 0;        ///< if it escaped; not from f64
  kernels::TsSlopes gradient{};
  double phase = 0;
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

/// The orbit in f64. `distance`, `gradient` and `phase` are not set.
ExactPixel bounded_orbit(const ExactWork& work, const kernels::TsLongPoint& at);
/// The orbit that f64 has given up at some n, with 106 bits.
ExactPixel open_orbit(const ExactWork& work, const kernels::TsLongPoint& at, std::uint64_t open_at);

/// Sets the distance, the gradient and the phase from the first z beyond the smooth radius.
template <int kFormula>
[[gnu::always_inline]] inline void set_measured(const job::ImageSpec& image,
                                                const kernels::TsMoving& z, double radius2,
                                                ExactPixel& pixel) {
  const int turned = image.matrix.is_identity() ? 0 : 1;
  pixel.distance = kernels::ts_moving_distance(kFormula, z, turned, image.turn(), radius2);
  pixel.gradient = kernels::ts_gradient_of(
      pixel.distance, kernels::ts_slopes_of(kFormula, z, turned, image.turn()));
  pixel.phase = kernels::ts_angle(z.x, z.y);
}

}  // namespace tessera::device
