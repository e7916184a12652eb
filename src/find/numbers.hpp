// f64 with exponents, and multiprecision, as the passes over an orbit need them.
#pragma once

#include <cstdint>
#include <string>

#include "deep/big_real.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::find {

using Complex = kernels::ScaledComplex<double>;
using deep::BigComplex;
using deep::BigReal;
using kernels::ScaledReal;

Complex unit();
Complex conjugate(Complex a);
Complex negative(Complex a);
/// Of b that is not 0.
Complex quotient(const Complex& a, const Complex& b);
inline bool is_zero(const Complex& a) {
  return a.re == 0 && a.im == 0;
}
/// In (-pi, pi].
double argument(const Complex& a);

/// Of a number above 0.
double log2_of(const ScaledReal& a);
/// 2^exponent, to the last bits.
ScaledReal power_of_two(double exponent);

/// The nearest, each part with an error of 2^-53 of the larger one.
Complex leading(const BigComplex& z);
BigComplex zero(std::int64_t bits);
BigComplex with_bits(const BigComplex& z, std::int64_t bits);
BigComplex point(const std::string& re, const std::string& im, std::int64_t bits);
void subtract(BigComplex& from, const Complex& what);
void subtract(BigComplex& from, const BigComplex& what);
/// With the bits of `a`.
BigComplex difference(const BigComplex& a, const BigComplex& b);

/// With so many decimal places.
std::string fixed(const BigReal& value, std::int64_t places);
/// With three digits, not below, or not above.
std::string rounded_up(const ScaledReal& a);
std::string rounded_down(const ScaledReal& a);
/// To eight digits.
std::string short_text(const ScaledReal& a);

}  // namespace tessera::find
