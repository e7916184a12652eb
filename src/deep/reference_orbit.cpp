#include "deep/reference_orbit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "deep/big_orbit.hpp"
#include "deep/partial_orbit.hpp"
#include "deep/rounding_errors.hpp"

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledComplex;
using kernels::ScaledReal;

namespace {

constexpr std::int64_t kGuardBits = 160;
constexpr double kSmoothRadius2 = 65536;

ScaledReal size_of(const BigComplex& z) {
  const ScaledReal x = z.re.scaled();
  const ScaledReal y = z.im.scaled();
  return square_root(x * x + y * y);
}

/// Whether an error leaves open if |z|^2 is above R^2.
bool may_change(BigOrbit& z, const ScaledReal& error, double bailout) {
  if (error.is_zero()) return false;
  ScaledReal distance = z.above(bailout * bailout);
  distance.m = std::abs(distance.m);
  return !(ScaledReal(4.0) * error * (size_of(z.z()) + ScaledReal(bailout)) < distance);
}

/// Finds orbits that repeat themselves: Brent (1980).
class Return {
 public:
  explicit Return(const OrbitStart& start) : saved_(start.z) {}

  /// Whether z_n, n > 0, is an earlier z with no larger an error. Then neither changes any more.
  bool is_at(const BigComplex& z, const ScaledReal& error, std::uint64_t n) {
    if (n > 1 && mpfr_equal_p(z.re.get(), saved_.re.get()) != 0 &&
        mpfr_equal_p(z.im.get(), saved_.im.get()) != 0 && !(error_ < error)) {
      return true;
    }
    if (std::has_single_bit(n)) {
      saved_ = z;
      error_ = error;
    }
    return false;
  }

 private:
  BigComplex saved_;
  ScaledReal error_;
};

/// How z changes with the pixel, as kernels/deep/slopes.h, with exponents of 64 bits.
class Slopes {
 public:
  Slopes(const OrbitStart& start, const ScaledReal& step, const plane::Matrix& matrix)
      : power_(start.power),
        matrix_(matrix),
        own_right_(kernels::ts_normalized(step.m, 0.0, step.e)),
        own_up_(kernels::ts_normalized(0.0, step.m, step.e)) {
    if (!start.after_critical) return;
    right_ = std::exchange(own_right_, {});
    up_ = std::exchange(own_up_, {});
  }

  /// Follows a step from z.
  void step(BigOrbit& z) {
    const auto signs = signs_at(z.z());
    const Complex w = folded(rounded(z.scaled()), signs);
    Complex slope = kernels::ts_normalized(static_cast<double>(power_.degree), 0.0, 0);
    for (int k = 1; k < power_.degree; ++k) slope = slope * w;
    right_ = slope * folded(right_, signs) + own_right_;
    up_ = slope * folded(up_, signs) + own_up_;
  }

  /// Sets z and its slopes: |dz|^2, or where the formula folds, the square of the slope of |z|.
  void note(BigOrbit& z, CountedPixel& pixel) const {
    const Complex w = rounded(z.scaled());
    pixel.smooth_x = ScaledReal(w.re, w.e).value();
    pixel.smooth_y = ScaledReal(w.im, w.e).value();
    const ScaledReal p = dot(w, right_);
    const ScaledReal q = dot(w, up_);
    const ScaledReal right = p * ScaledReal(matrix_.a) + q * ScaledReal(matrix_.c);
    const ScaledReal up = p * ScaledReal(matrix_.b) + q * ScaledReal(matrix_.d);
    pixel.smooth_right = right.value();
    pixel.smooth_up = up.value();
    const bool analytic = power_.fold == kernels::TS_FOLD_NONE && matrix_.is_identity();
    const ScaledReal along =
        analytic ? magnitude(right_) : square_root(right * right + up * up) / magnitude(w);
    pixel.smooth_slope2 = square(along.value());
  }

 private:
  using Complex = ScaledComplex<double>;
  using Signs = std::pair<double, double>;

  static double square(double a) { return a * a; }
  static ScaledReal dot(const Complex& a, const Complex& b) {
    return {a.re * b.re + a.im * b.im, a.e + b.e};
  }
  static Complex folded(Complex a, const Signs& signs) {
    a.re *= signs.first;
    a.im *= signs.second;
    return a;
  }
  Signs signs_at(const BigComplex& z) const {
    if (power_.fold == kernels::TS_FOLD_CONJUGATE) return {1, -1};
    if (power_.fold == kernels::TS_FOLD_NONE) return {1, 1};
    return {mpfr_sgn(z.re.get()) < 0 ? -1 : 1, mpfr_sgn(z.im.get()) < 0 ? -1 : 1};
  }

  Power power_;
  plane::Matrix matrix_;
  Complex own_right_, own_up_;  ///< the pixel's own change, which a step adds
  Complex right_, up_;
};

}  // namespace

ScaledComplex<DoubleDouble> ReferenceOrbit::at(std::int64_t m) const {
  const auto i = static_cast<std::size_t>(m);
  const DoubleDouble x{re[i], re_low[i]};
  const DoubleDouble y{im[i], im_low[i]};
  if (!is_tiny(x.hi, y.hi)) return kernels::ts_normalized(x, y, 0);
  const auto found = std::ranges::lower_bound(tiny, m, {}, &Tiny::m);
  const bool split = found + 1 != tiny.end() && (found + 1)->m == m;
  return split ? found->z + (found + 1)->z : found->z;
}

bool ReferenceOrbit::is_tiny(double x, double y) {
  return std::max(std::abs(x), std::abs(y)) < kernels::ts_power_of_two(kTinyExponent);
}

std::int64_t orbit_bits(const ScaledReal& step, std::uint64_t iterations) {
  return std::max<std::int64_t>(0, -step.e) + kGuardBits + std::bit_width(iterations);
}

ReferenceOrbit compute_orbit(const OrbitStart& start, const OrbitLimits& limits,
                             const OrbitProgress& progress) {
  PartialOrbit orbit(start, limits);
  while (!orbit.complete()) {
    orbit.advance();
    if (progress) progress(orbit.iterations());
  }
  return orbit.take();
}

DefinedPixel count_iterations(const OrbitStart& start, const CountLimits& limits) {
  DefinedPixel pixel{.value = {.count = limits.iterations}};
  CountedPixel& value = pixel.value;
  const auto escaped = [&] { return value.count != limits.iterations; };
  BigOrbit z(start.c, start.z, start.power);
  RoundingErrors errors(start.power.degree, start.c.re.bits(), size_of(start.c), size_of(start.z),
                        start.exact);
  Return back(start);
  Slopes slopes(start, limits.step, limits.matrix);
  for (std::uint64_t n = 0; n < limits.iterations || escaped(); ++n) {
    if (n > 0) {
      const ScaledReal radius = size_of(z.z());
      if (!limits.step.is_zero()) slopes.step(z);
      z.step();
      errors.step(radius, start.exact && z.is_exact());
      if (!escaped() && back.is_at(z.z(), errors.bound(), n)) break;
    }
    if (value.smooth_radius2 == 0 && z.beyond(kSmoothRadius2)) {
      value.smooth_m = n;
      value.smooth_radius2 = z.radius2();
      slopes.note(z, value);
    }
    if (!escaped()) {
      pixel.certain = pixel.certain && !may_change(z, errors.bound(), limits.bailout);
      if (!pixel.certain && limits.only_certain) break;
      if (z.beyond(limits.bailout * limits.bailout)) value.count = n;
    }
    if (escaped() && (!limits.smooth || value.smooth_radius2 != 0)) break;
  }
  return pixel;
}

}  // namespace tessera::deep
