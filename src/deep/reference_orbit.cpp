#include "deep/reference_orbit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::deep {

using kernels::DoubleDouble;
using kernels::ScaledComplex;
using kernels::ScaledReal;

namespace {

constexpr std::int64_t kTinyExponent = -400;
constexpr std::int64_t kGuardBits = 64;
constexpr std::uint64_t kProgressInterval = 256;
constexpr double kSmoothRadius2 = 65536;

/// The nearest f64 and the nearest to the rest.
DoubleDouble two_parts(const BigReal& value, BigReal& rest) {
  const double hi = mpfr_get_d(value.get(), MPFR_RNDN);
  mpfr_sub_d(rest.get(), value.get(), hi, MPFR_RNDN);
  return {hi, mpfr_get_d(rest.get(), MPFR_RNDN)};
}

/// (x + iy) 2^e without loss, by exact shifts.
ScaledComplex<DoubleDouble> scaled_parts(const BigComplex& z, BigReal& shifted, BigReal& rest) {
  const ScaledReal x = z.re.scaled();
  const ScaledReal y = z.im.scaled();
  if (x.is_zero() && y.is_zero()) return {};
  const std::int64_t e = std::max(x.e, y.e);
  mpfr_mul_2si(shifted.get(), z.re.get(), static_cast<long>(-e), MPFR_RNDN);
  const DoubleDouble re = two_parts(shifted, rest);
  mpfr_mul_2si(shifted.get(), z.im.get(), static_cast<long>(-e), MPFR_RNDN);
  return kernels::normalized(re, two_parts(shifted, rest), e);
}

/// z^2 + c from 0.
class BigOrbit {
 public:
  explicit BigOrbit(const BigComplex& c)
      : c_(c), z_{BigReal(bits()), BigReal(bits())}, a_(bits()), b_(bits()) {}

  /// z^2 + c by two multiplications: (x + y)(x - y) and xy.
  void step() {
    mpfr_ptr x = z_.re.get();
    mpfr_ptr y = z_.im.get();
    mpfr_add(a_.get(), x, y, MPFR_RNDN);
    mpfr_sub(b_.get(), x, y, MPFR_RNDN);
    mpfr_mul(y, x, y, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
    mpfr_add(y, y, c_.im.get(), MPFR_RNDN);
    mpfr_mul(x, a_.get(), b_.get(), MPFR_RNDN);
    mpfr_add(x, x, c_.re.get(), MPFR_RNDN);
  }

  DoubleDouble re() { return two_parts(z_.re, a_); }
  DoubleDouble im() { return two_parts(z_.im, a_); }
  ScaledComplex<DoubleDouble> scaled() { return scaled_parts(z_, a_, b_); }

  double radius2() const {
    const double x = mpfr_get_d(z_.re.get(), MPFR_RNDN);
    const double y = mpfr_get_d(z_.im.get(), MPFR_RNDN);
    return std::fma(x, x, y * y);
  }
  /// |z|^2 > bound, also where f64 cannot tell.
  bool beyond(double bound) {
    const double rough = radius2();
    if (std::abs(rough - bound) > 1e-9 * bound) return rough > bound;
    mpfr_fmma(a_.get(), z_.re.get(), z_.re.get(), z_.im.get(), z_.im.get(), MPFR_RNDN);
    return mpfr_cmp_d(a_.get(), bound) > 0;
  }

 private:
  std::int64_t bits() const { return c_.re.bits(); }

  const BigComplex& c_;
  BigComplex z_;
  BigReal a_, b_;  ///< for intermediate results
};

void append(BigOrbit& z, ReferenceOrbit& orbit) {
  const DoubleDouble x = z.re();
  const DoubleDouble y = z.im();
  orbit.re.push_back(x.hi);
  orbit.im.push_back(y.hi);
  orbit.re_low.push_back(x.lo);
  orbit.im_low.push_back(y.lo);
  if (std::max(std::abs(x.hi), std::abs(y.hi)) < kernels::power_of_two(kTinyExponent)) {
    orbit.tiny.push_back({orbit.length(), z.scaled()});
  }
  orbit.escaped = std::fma(x.hi, x.hi, y.hi * y.hi) > 4;
}

}  // namespace

ScaledComplex<DoubleDouble> ReferenceOrbit::at(std::int64_t m) const {
  const auto i = static_cast<std::size_t>(m);
  const DoubleDouble x{re[i], re_low[i]};
  const DoubleDouble y{im[i], im_low[i]};
  if (std::max(std::abs(x.hi), std::abs(y.hi)) >= kernels::power_of_two(kTinyExponent)) {
    return kernels::normalized(x, y, 0);
  }
  return std::ranges::lower_bound(tiny, m, {}, &Tiny::m)->z;
}

std::int64_t orbit_bits(const ScaledReal& step, std::uint64_t iterations) {
  return std::max<std::int64_t>(0, -step.e) + kGuardBits + std::bit_width(iterations);
}

ReferenceOrbit compute_orbit(const BigComplex& c, std::uint64_t iterations,
                             const OrbitProgress& progress) {
  ReferenceOrbit orbit;
  BigOrbit z(c);
  append(z, orbit);
  for (std::uint64_t n = 1; n <= iterations && !orbit.escaped; ++n) {
    z.step();
    append(z, orbit);
    if (n % kProgressInterval == 0 && progress) progress(n);
  }
  return orbit;
}

CountedPixel count_iterations(const BigComplex& c, std::uint32_t limit, double bailout,
                              bool smooth) {
  CountedPixel pixel{.count = limit};
  BigOrbit z(c);
  const double bailout2 = bailout * bailout;
  for (std::uint32_t n = 1; n < limit || pixel.count != limit; ++n) {
    z.step();
    if (pixel.smooth_m == 0 && z.beyond(kSmoothRadius2)) {
      pixel.smooth_m = n;
      pixel.smooth_radius2 = z.radius2();
    }
    if (pixel.count == limit && z.beyond(bailout2)) pixel.count = n;
    if (pixel.count != limit && (!smooth || pixel.smooth_m != 0)) break;
  }
  return pixel;
}

}  // namespace tessera::deep
