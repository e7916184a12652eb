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

/// The orbit in f64. `distance` and `gradient` are not set.
ExactPixel bounded_orbit(const ExactWork& work, const kernels::TsLongPoint& at);
/// How many steps of 106 bits come before those of f64 where f64 alone has given up at some n: the
/// error of f64 grows from there on only. 0 if the pixel is not begun again in this way.
constexpr std::uint64_t long_steps_before(std::uint64_t open_at) {
  constexpr std::uint64_t kLeast = 64;
  return open_at < kLeast ? 0 : open_at / 2;
}
/// Whether pixels are begun again in this way: derivatives follow one orbit from its first z.
inline bool begins_again(const ExactWork& work) {
  return !work.fields.measures() && work.exact.limits.careful == 0;
}
/// The orbit in f64 after z_n of 106 bits, n = long_steps_before().
ExactPixel mixed_orbit(const ExactWork& work, const kernels::TsLongPoint& at, std::uint64_t n);
/// The orbit with 106 bits.
ExactPixel long_orbit(const ExactWork& work, const kernels::TsLongPoint& at);

}  // namespace tessera::device
