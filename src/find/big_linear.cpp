#include "find/big_linear.hpp"

namespace tessera::find {
namespace {

void round_to(BigComplex& to, const BigComplex& z) {
  mpfr_set(to.re.get(), z.re.get(), MPFR_RNDN);
  mpfr_set(to.im.get(), z.im.get(), MPFR_RNDN);
}

void negate_im(BigComplex& z) {
  mpfr_neg(z.im.get(), z.im.get(), MPFR_RNDN);
}

BigComplex conjugated(BigComplex z) {
  negate_im(z);
  return z;
}

bool vanishes(const BigComplex& z) {
  return mpfr_zero_p(z.re.get()) != 0 && mpfr_zero_p(z.im.get()) != 0;
}

void multiply_by(BigReal& number, int factor) {
  mpfr_mul_si(number.get(), number.get(), factor, MPFR_RNDN);
}

void square(BigReal& to, const BigComplex& z) {
  mpfr_fmma(to.get(), z.re.get(), z.re.get(), z.im.get(), z.im.get(), MPFR_RNDN);
}

}  // namespace

BigLinear::BigLinear(std::int64_t bits)
    : alpha_(zero(bits)),
      beta_(zero(bits)),
      factor_(zero(bits)),
      z_(zero(bits)),
      a_(bits),
      b_(bits) {}

void BigLinear::step(const BigComplex& z, const deep::Power& power, bool conjugates) {
  round_to(factor_, z);
  if (power.degree > 2) round_to(z_, z);
  for (int k = 2; k < power.degree; ++k) multiply(factor_, z_);
  multiply_by(factor_.re, power.degree);
  multiply_by(factor_.im, power.degree);
  if (conjugates) {
    for (BigComplex* one : {&factor_, &alpha_, &beta_}) negate_im(*one);
    mpfr_swap(alpha_.re.get(), beta_.re.get());
    mpfr_swap(alpha_.im.get(), beta_.im.get());
  }
  multiply(alpha_, factor_);
  if (!vanishes(beta_)) multiply(beta_, factor_);
  mpfr_add_ui(alpha_.re.get(), alpha_.re.get(), 1, MPFR_RNDN);
}

/// conj(alpha) w - beta conj(w), divided by |alpha|^2 - |beta|^2.
BigComplex BigLinear::solved(const BigComplex& w) {
  BigComplex result = conjugated(alpha_);
  multiply(result, w);
  BigComplex other = conjugated(w);
  multiply(other, beta_);
  subtract(result, other);
  square(a_, alpha_);
  square(b_, beta_);
  mpfr_sub(a_.get(), a_.get(), b_.get(), MPFR_RNDN);
  mpfr_div(result.re.get(), result.re.get(), a_.get(), MPFR_RNDN);
  mpfr_div(result.im.get(), result.im.get(), a_.get(), MPFR_RNDN);
  return result;
}

void BigLinear::multiply(BigComplex& a, const BigComplex& b) {
  mpfr_mul(a_.get(), a.re.get(), b.re.get(), MPFR_RNDN);
  mpfr_mul(b_.get(), a.im.get(), b.im.get(), MPFR_RNDN);
  mpfr_sub(b_.get(), a_.get(), b_.get(), MPFR_RNDN);
  mpfr_mul(a.re.get(), a.re.get(), b.im.get(), MPFR_RNDN);
  mpfr_mul(a.im.get(), a.im.get(), b.re.get(), MPFR_RNDN);
  mpfr_add(a.im.get(), a.im.get(), a.re.get(), MPFR_RNDN);
  mpfr_set(a.re.get(), b_.get(), MPFR_RNDN);
}

}  // namespace tessera::find
