// Steps of formulas without jumps as differences (kernels/deep/difference.h), and the slopes of
// pixels (kernels/deep/slopes.h), over vectors of pixels.
#if defined(TESSERA_DEVICE_CPU_PIXELS_DEEP_DIFFERENCES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_DEEP_DIFFERENCES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_DEEP_DIFFERENCES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_DEEP_DIFFERENCES_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "device/cpu/pixels/deep_numbers-inl.hpp"

#if HWY_MAX_BYTES >= 32

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace deep_lanes {

/// A slope is an f64 in all tiers.
using Slope = FastNumbers::Complex;

struct Slopes {
  Slope right, up;
};

/// t of a step, with the operations of ts_difference().
template <class Numbers>
struct DifferenceOf {
  using Number = typename Numbers::Number;
  using Complex = typename Numbers::Complex;

  Complex t;
  Real growth, spread;

  static HWY_INLINE Slope leading(const Complex& a) {
    return {Numbers::leading(a.re), Numbers::leading(a.im)};
  }
  static HWY_INLINE Real size2(const Complex& a) {
    const Slope z = leading(a);
    return hn::MulAdd(z.re, z.re, hn::Mul(z.im, z.im));
  }
  static HWY_INLINE Real sum_of_parts(const Complex& a) {
    const Slope z = leading(a);
    return hn::Add(hn::Abs(z.re), hn::Abs(z.im));
  }
  /// Z + z
  static HWY_INLINE Slope full(const Complex& r, const Complex& z) { return leading(sum(r, z)); }

  static HWY_INLINE DifferenceOf of(const kernels::TsDeepLimits& limits, Complex r, Complex z) {
    const Real one_norm = sum_of_parts(z);
    if (limits.fold == kernels::TS_FOLD_ABSOLUTE) {
      z = {absolute_difference(r.re, z.re), absolute_difference(r.im, z.im)};
      r = {absolute(r.re), absolute(r.im)};
    } else if (limits.fold == kernels::TS_FOLD_CONJUGATE) {
      z.im = Numbers::negative(z.im);
      r.im = Numbers::negative(r.im);
    }
    if (limits.degree == 2) {
      const Complex s{Numbers::twice_plus(r.re, z.re), Numbers::twice_plus(r.im, z.im)};
      return {Numbers::times(z, s), hn::Sqrt(size2(sum(s, z))), hn::Mul(one_norm, sum_of_parts(s))};
    }
    return of_power(limits.degree, r, z, one_norm);
  }

 private:
  static HWY_INLINE DifferenceOf of_power(std::uint32_t power, const Complex& r, const Complex& z,
                                          Real one_norm) {
    const Complex w = sum(r, z);
    const Real size = hn::Sqrt(size2(w));
    const Real ref_size = hn::Sqrt(size2(r));
    const Real most = hn::IfThenElse(hn::Lt(size, ref_size), ref_size, size);
    const auto degree = static_cast<double>(power);
    Complex s = sum(w, r);
    Complex p = r;
    Real growth = hn::Mul(real(degree), size);
    Real spread = hn::Mul(hn::Mul(real(2 * degree * (degree - 1)), one_norm), most);
    for (std::uint32_t k = 2; k < power; ++k) {
      p = Numbers::times(p, r);
      s = Numbers::times_plus(s, w, p);
      growth = hn::Mul(growth, size);
      spread = hn::Mul(spread, most);
    }
    return {Numbers::times(z, s), growth, spread};
  }

  static HWY_INLINE Complex sum(const Complex& a, const Complex& b) {
    return {Numbers::plus(a.re, b.re), Numbers::plus(a.im, b.im)};
  }
  static HWY_INLINE Number absolute(const Number& r) {
    return Numbers::select(hn::Lt(Numbers::leading(r), hn::Zero(D())), Numbers::negative(r), r);
  }
  static HWY_INLINE Number absolute_difference(const Number& r, const Number& d) {
    const Number size = absolute(r);
    const Number along =
        Numbers::select(hn::Lt(Numbers::leading(r), hn::Zero(D())), Numbers::negative(d), d);
    const Number whole = Numbers::accurate_sum(size, along);
    const Mask same = hn::Ge(Numbers::leading(whole), hn::Zero(D()));
    const Number twice = Numbers::accurate_sum(size, size);
    return Numbers::select(same, along, Numbers::negative(Numbers::accurate_sum(twice, along)));
  }
};

/// As ts_fold_sign(), times a.
HWY_INLINE Real with_fold_sign(const kernels::TsDeepLimits& limits, Real w, bool is_im, Real a) {
  if (limits.fold == kernels::TS_FOLD_ABSOLUTE) {
    return hn::IfThenElse(hn::Lt(w, hn::Zero(D())), hn::Neg(a), a);
  }
  return limits.fold == kernels::TS_FOLD_CONJUGATE && is_im ? hn::Neg(a) : a;
}

/// As ts_follow_step().
HWY_INLINE void follow_step(const kernels::TsDeepLimits& limits, const Slope& w, Slopes& slopes) {
  const auto folded = [&](const Slope& a) TESSERA_INLINE_LAMBDA {
    return Slope{with_fold_sign(limits, w.re, false, a.re),
                 with_fold_sign(limits, w.im, true, a.im)};
  };
  const Slope z = folded(w);
  Slope p = z;
  for (std::uint32_t k = 2; k < limits.degree; ++k) p = FastNumbers::times(p, z);
  const Real degree = real(static_cast<double>(limits.degree));
  p = {hn::Mul(p.re, degree), hn::Mul(p.im, degree)};
  const Real step = real(limits.plain_slope);
  slopes.right = FastNumbers::times_plus(p, folded(slopes.right), {step, hn::Zero(D())});
  if (limits.fold == kernels::TS_FOLD_NONE) return;
  slopes.up = FastNumbers::times_plus(p, folded(slopes.up), {hn::Zero(D()), step});
}

}  // namespace deep_lanes
}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_MAX_BYTES

#endif
