#include "find/numbers.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::find {
namespace {

/// Parts above it have no subnormal neighbours that matter.
constexpr double kSafelyNormal = 0x1p-900;
constexpr std::int64_t kShortBits = 64;

BigReal big(double mantissa, std::int64_t exponent) {
  BigReal value(kShortBits);
  mpfr_set_d(value.get(), mantissa, MPFR_RNDN);
  if (mantissa != 0) {
    mpfr_mul_2si(value.get(), value.get(), static_cast<long>(exponent), MPFR_RNDN);
  }
  return value;
}

void subtract(BigReal& from, double mantissa, std::int64_t exponent) {
  mpfr_sub(from.get(), from.get(), big(mantissa, exponent).get(), MPFR_RNDN);
}

}  // namespace

Complex unit() {
  return kernels::ts_normalized(1.0, 0.0, 0);
}

Complex conjugate(Complex a) {
  a.im = -a.im;
  return a;
}

Complex negative(Complex a) {
  a.re = -a.re;
  a.im = -a.im;
  return a;
}

Complex quotient(const Complex& a, const Complex& b) {
  const double size2 = b.re * b.re + b.im * b.im;
  return kernels::ts_normalized((a.re * b.re + a.im * b.im) / size2,
                                (a.im * b.re - a.re * b.im) / size2, a.e - b.e);
}

double argument(const Complex& a) {
  return std::atan2(a.im, a.re);
}

double log2_of(const ScaledReal& a) {
  return std::log2(a.m) + static_cast<double>(a.e);
}

ScaledReal power_of_two(double exponent) {
  const double whole = std::floor(exponent);
  return {std::exp2(exponent - whole), static_cast<std::int64_t>(whole)};
}

Complex leading(const BigComplex& z) {
  const double re = mpfr_get_d(z.re.get(), MPFR_RNDN);
  const double im = mpfr_get_d(z.im.get(), MPFR_RNDN);
  if (std::max(std::abs(re), std::abs(im)) > kSafelyNormal) {
    return kernels::ts_normalized(re, im, 0);
  }
  const ScaledReal x = z.re.scaled();
  const ScaledReal y = z.im.scaled();
  const std::int64_t e = std::max(x.e, y.e);
  return kernels::ts_normalized(kernels::ts_part_value(x.m, x.e - e),
                                kernels::ts_part_value(y.m, y.e - e), e);
}

BigComplex zero(std::int64_t bits) {
  return {BigReal(bits), BigReal(bits)};
}

BigComplex with_bits(const BigComplex& z, std::int64_t bits) {
  BigComplex copy = zero(bits);
  mpfr_set(copy.re.get(), z.re.get(), MPFR_RNDN);
  mpfr_set(copy.im.get(), z.im.get(), MPFR_RNDN);
  return copy;
}

BigComplex point(const std::string& re, const std::string& im, std::int64_t bits) {
  return {BigReal(re, bits), BigReal(im, bits)};
}

void subtract(BigComplex& from, const Complex& what) {
  subtract(from.re, what.re, what.e);
  subtract(from.im, what.im, what.e);
}

void subtract(BigComplex& from, const BigComplex& what) {
  mpfr_sub(from.re.get(), from.re.get(), what.re.get(), MPFR_RNDN);
  mpfr_sub(from.im.get(), from.im.get(), what.im.get(), MPFR_RNDN);
}

BigComplex difference(const BigComplex& a, const BigComplex& b) {
  BigComplex result = a;
  subtract(result, b);
  return result;
}

std::string fixed(const BigReal& value, std::int64_t places) {
  const std::string text = value.printed("%.*Rf", places);
  const bool is_zero = text.find_first_of("123456789") == text.npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string rounded_up(const ScaledReal& a) {
  return big(a.m, a.e).printed("%.*RUe", 2);
}

std::string rounded_down(const ScaledReal& a) {
  return big(a.m, a.e).printed("%.*RDe", 2);
}

std::string short_text(const ScaledReal& a) {
  return big(a.m, a.e).printed("%.*Re", 7);
}

}  // namespace tessera::find
