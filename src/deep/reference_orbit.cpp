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

class OrbitBuilder {
 public:
  OrbitBuilder(const BigComplex& c)
      : c_(c),
        z_{BigReal(c.re.bits()), BigReal(c.re.bits())},
        sum_(c.re.bits()),
        difference_(c.re.bits()) {}

  ReferenceOrbit run(std::uint64_t iterations, const OrbitProgress& progress) {
    append();
    for (std::uint64_t n = 1; n <= iterations && !orbit_.escaped; ++n) {
      step();
      append();
      if (n % kProgressInterval == 0 && progress) progress(n);
    }
    return std::move(orbit_);
  }

 private:
  /// z^2 + c by two multiplications: (x + y)(x - y) and xy.
  void step() {
    mpfr_ptr x = z_.re.get();
    mpfr_ptr y = z_.im.get();
    mpfr_add(sum_.get(), x, y, MPFR_RNDN);
    mpfr_sub(difference_.get(), x, y, MPFR_RNDN);
    mpfr_mul(y, x, y, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
    mpfr_add(y, y, c_.im.get(), MPFR_RNDN);
    mpfr_mul(x, sum_.get(), difference_.get(), MPFR_RNDN);
    mpfr_add(x, x, c_.re.get(), MPFR_RNDN);
  }

  void append() {
    const DoubleDouble x = two_parts(z_.re, sum_);
    const DoubleDouble y = two_parts(z_.im, sum_);
    orbit_.re.push_back(x.hi);
    orbit_.im.push_back(y.hi);
    orbit_.re_low.push_back(x.lo);
    orbit_.im_low.push_back(y.lo);
    if (std::max(std::abs(x.hi), std::abs(y.hi)) < kernels::power_of_two(kTinyExponent)) {
      orbit_.tiny.push_back({orbit_.length(), scaled_parts(z_, difference_, sum_)});
    }
    orbit_.escaped = std::fma(x.hi, x.hi, y.hi * y.hi) > 4;
  }

  const BigComplex& c_;
  BigComplex z_;
  BigReal sum_;
  BigReal difference_;
  ReferenceOrbit orbit_;
};

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
  return OrbitBuilder(c).run(iterations, progress);
}

}  // namespace tessera::deep
