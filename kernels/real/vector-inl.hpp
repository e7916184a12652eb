// The operations of pixels and functions on a vector of f64. Included once per instruction set,
// like all "-inl" files of Highway; the toggle below replaces an include guard.
#if defined(TESSERA_KERNELS_REAL_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_KERNELS_REAL_VECTOR_INL
#undef TESSERA_KERNELS_REAL_VECTOR_INL
#else
#define TESSERA_KERNELS_REAL_VECTOR_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tessera::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::ScalableTag<double>;
using Bits = hn::RebindToUnsigned<Reals>;
using Real = hn::Vec<Reals>;
using BitsOfReal = hn::Vec<Bits>;
using Mask = hn::Mask<Reals>;

HWY_INLINE Real ts_real(double k) {
  return hn::Set(Reals(), k);
}
HWY_INLINE Real ts_add(Real a, Real b) {
  return hn::Add(a, b);
}
HWY_INLINE Real ts_sub(Real a, Real b) {
  return hn::Sub(a, b);
}
HWY_INLINE Real ts_mul(Real a, Real b) {
  return hn::Mul(a, b);
}
HWY_INLINE Real ts_div(Real a, Real b) {
  return hn::Div(a, b);
}
HWY_INLINE Real ts_sqrt(Real a) {
  return hn::Sqrt(a);
}
HWY_INLINE Real ts_fma(Real a, Real b, Real c) {
  return hn::MulAdd(a, b, c);
}
HWY_INLINE Real ts_fnma(Real a, Real b, Real c) {
  return hn::NegMulAdd(a, b, c);
}
HWY_INLINE BitsOfReal ts_bits(std::uint64_t k) {
  return hn::Set(Bits(), k);
}
HWY_INLINE BitsOfReal ts_to_bits(Real v) {
  return hn::BitCast(Bits(), v);
}
HWY_INLINE Real ts_from_bits(BitsOfReal b) {
  return hn::BitCast(Reals(), b);
}
HWY_INLINE BitsOfReal ts_bits_sub(BitsOfReal a, BitsOfReal b) {
  return hn::Sub(a, b);
}
HWY_INLINE BitsOfReal ts_bits_and(BitsOfReal a, BitsOfReal b) {
  return hn::And(a, b);
}
HWY_INLINE BitsOfReal ts_bits_or(BitsOfReal a, BitsOfReal b) {
  return hn::Or(a, b);
}
HWY_INLINE BitsOfReal ts_bits_xor(BitsOfReal a, BitsOfReal b) {
  return hn::Xor(a, b);
}
HWY_INLINE BitsOfReal ts_bits_shift_52(BitsOfReal a) {
  return hn::ShiftRight<52>(a);
}
HWY_INLINE Real ts_abs(Real a) {
  return hn::Abs(a);
}
HWY_INLINE Mask ts_less(Real a, Real b) {
  return hn::Lt(a, b);
}
HWY_INLINE Mask ts_both(Mask a, Mask b) {
  return hn::And(a, b);
}
HWY_INLINE Mask ts_either(Mask a, Mask b) {
  return hn::Or(a, b);
}
HWY_INLINE bool ts_none(Mask a) {
  return hn::AllFalse(Reals(), a);
}
HWY_INLINE Real ts_neg(Real a) {
  return hn::Neg(a);
}
HWY_INLINE Mask ts_equal(Real a, Real b) {
  return hn::Eq(a, b);
}
HWY_INLINE Mask ts_not(Mask a) {
  return hn::Not(a);
}
HWY_INLINE Real ts_if(Mask mask, Real yes, Real no) {
  return hn::IfThenElse(mask, yes, no);
}

}  // namespace tessera::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
