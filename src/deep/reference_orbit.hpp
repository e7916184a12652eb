// The orbit of one point in multiprecision, from which the orbits of all pixels near it are
// computed as small differences.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "deep/big_real.hpp"
#include "kernels/deep/double_double.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

struct ReferenceOrbit {
  /// An element so small that f64 holds it badly or not at all.
  struct Tiny {
    std::int64_t m = 0;
    kernels::ScaledComplex<kernels::DoubleDouble> z;
  };

  // Z_0 = 0 to Z_M as sums of two f64. Low parts serve the table only.
  std::vector<double> re, im, re_low, im_low;
  std::vector<Tiny> tiny;  ///< all m with |Z_m| < 2^-400, ascending; Z_0 is the first
  bool escaped = false;    ///< |Z_M| > 2; otherwise M is the limit

  static auto members(auto& self) {
    return std::tie(self.re, self.im, self.re_low, self.im_low, self.tiny, self.escaped);
  }

  std::int64_t length() const { return static_cast<std::int64_t>(re.size()) - 1; }
  /// Z_m with all its bits.
  kernels::ScaledComplex<kernels::DoubleDouble> at(std::int64_t m) const;
};

/// Bits that keep the orbits of all pixels within a fraction of 2^-53 of a pixel: those down to the
/// step between pixels, 64 more, and those that `iterations` steps may lose.
std::int64_t orbit_bits(const kernels::ScaledReal& step, std::uint64_t iterations);

/// Called now and then with the number of iterations so far; may throw.
using OrbitProgress = std::function<void(std::uint64_t iterations)>;

/// The orbit of z^2 + c from 0, until |Z| > 2 or `iterations`.
ReferenceOrbit compute_orbit(const BigComplex& c, std::uint64_t iterations,
                             const OrbitProgress& progress = {});

/// A pixel's count and, at the first m beyond the smooth radius, |z_m|^2.
struct CountedPixel {
  std::uint32_t count = 0;
  std::uint32_t smooth_m = 0;
  double smooth_radius2 = 0;
};

/// The count of c by its definition, with all bits of c.
CountedPixel count_iterations(const BigComplex& c, std::uint32_t limit, double bailout,
                              bool smooth);

}  // namespace tessera::deep
