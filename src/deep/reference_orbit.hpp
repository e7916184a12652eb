// The orbit of one point in multiprecision, from which the orbits of all pixels near it are
// computed as small differences.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "deep/big_orbit.hpp"
#include "deep/big_real.hpp"
#include "deep/wide_complex.hpp"
#include "kernels/deep/double_double.hpp"
#include "kernels/deep/scaled.hpp"
#include "plane/matrix.hpp"

namespace tessera::deep {

struct ReferenceOrbit {
  /// An element so small that f64 holds it badly or not at all. Where the formula takes absolute
  /// values of parts, an element with such a part has two: its real part, and its imaginary one.
  struct Tiny {
    std::int64_t m = 0;
    kernels::ScaledComplex<kernels::DoubleDouble> z;
  };

  // Z_0 = 0 to Z_M as sums of two f64. Low parts serve the table only. In a Julia set it is two
  // orbits, one after the other: of 0, and of the image's centre.
  std::vector<double> re, im, re_low, im_low;
  /// The same with 190 bits, with OrbitLimits::wide; else empty.
  std::vector<WideComplex> wide;
  /// All m with |Z_m| < 2^kTinyExponent, ascending; Z_0 is the first.
  std::vector<Tiny> tiny;
  std::int64_t first = 0;  ///< where the centre's orbit begins
  bool escaped = false;    ///< |Z_M| > 2
  /// Pixels lose nothing where they begin again after Z_M. Otherwise, M is the limit.
  bool periodic = false;
  /// Its numbers have too few bits for more elements: rounding errors grow as orbits move apart.
  bool exhausted = false;
  std::int64_t bits = 0;  ///< bits of the numbers that it was computed with
  /// So many elements of it, and of the second of two orbits, have no rounding error at all.
  std::int64_t exact = 0, exact_second = 0;

  static auto members(auto& self) {
    return std::tie(self.re, self.im, self.re_low, self.im_low, self.wide, self.tiny, self.first,
                    self.escaped, self.periodic, self.exhausted, self.bits, self.exact,
                    self.exact_second);
  }

  /// Calls work(list) for each list of elements, with the lists of both orbits if there are two.
  static void for_each_list(const auto& work, auto&... orbits) {
    work(orbits.re...);
    work(orbits.im...);
    work(orbits.re_low...);
    work(orbits.im_low...);
    work(orbits.wide...);
  }
  bool is_wide() const { return !wide.empty(); }

  std::int64_t length() const { return static_cast<std::int64_t>(re.size()) - 1; }
  /// Z_m with all its bits.
  kernels::ScaledComplex<kernels::DoubleDouble> at(std::int64_t m) const;

  static constexpr std::int64_t kTinyExponent = -400;
  /// Whether x + iy belongs to `tiny`.
  static bool is_tiny(double x, double y);
};

/// An orbit ends where its rounding errors exceed this, or this times |Z| if that is more than 1.
/// Pixels have left it before, unless they are nearer to its point than all pixels but itself.
inline constexpr double kMaxOrbitError = 0x1p-140;

/// Bits whose rounding moves no pixel by more than 2^-150 of the step between pixels: those down to
/// that step, 160 more, and those that `iterations` steps may lose.
std::int64_t orbit_bits(const kernels::ScaledReal& step, std::uint64_t iterations);

/// Where an orbit ends.
struct OrbitLimits {
  std::uint64_t iterations = 0;
  /// Less than half of the step between pixels. The orbit ends where the pixels that are so far
  /// away are as far from Z as Z from 0. With 0, at the other limits only.
  kernels::ScaledReal nearest_pixel;
  bool wide = false;  ///< whether elements are kept with 190 bits
  int threads = 2;    ///< for long numbers; the bits are the same
};

/// Called now and then with the number of iterations so far; may throw.
using OrbitProgress = std::function<void(std::uint64_t iterations)>;

/// The orbit of fold(z)^degree + c from z.
struct OrbitStart {
  explicit OrbitStart(const BigComplex& of_c)
      : c(of_c), z{BigReal(of_c.re.bits()), BigReal(of_c.re.bits())} {}

  BigComplex c;
  BigComplex z;  ///< at first 0
  Power power;
  bool exact = false;           ///< c and z were not rounded
  double escape_radius = 2;     ///< no orbit comes back from beyond
  bool after_critical = false;  ///< the orbit of 0 comes first
};

/// The orbit, until |Z| exceeds the escape radius or a limit; and before it that of 0.
ReferenceOrbit compute_orbit(const OrbitStart& start, const OrbitLimits& limits,
                             const OrbitProgress& progress = {});

/// A pixel's count and, at the first m beyond the smooth radius, |z_m|^2, |dz_m|^2, the slopes of
/// |z_m|^2 / 2 to the right and up, and z_m.
struct CountedPixel {
  std::uint64_t count = 0;
  std::uint64_t smooth_m = 0;
  double smooth_radius2 = 0;
  double smooth_slope2 = 0;  ///< for pixels that are `step` apart
  double smooth_right = 0, smooth_up = 0;
  double smooth_x = 0, smooth_y = 0;
};

struct DefinedPixel {
  CountedPixel value;
  bool certain = true;  ///< with more bits, the count would be the same
};

/// The end of an orbit that is followed.
struct CountLimits {
  std::uint64_t iterations = 0;  ///< N
  double bailout = 2;            ///< R
  bool smooth = false;           ///< beyond R to the smooth radius
  /// If not 0, also the derivative by the pixel, which is c, or z if the orbit does not start at 0.
  kernels::ScaledReal step;
  plane::Matrix matrix;       ///< from pixels to the plane
  bool only_certain = false;  ///< not beyond the first step that is not certain
};

/// The count of an orbit by its definition, with all bits of c. An orbit that has returned to the
/// same bits with no larger error is not followed any further.
DefinedPixel count_iterations(const OrbitStart& start, const CountLimits& limits);

}  // namespace tessera::deep
