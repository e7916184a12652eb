// The pixel mathematics with a vector of f64 as the number. Included once per instruction set, as
// Highway's "-inl" files are; the toggle below takes the place of an include guard.
#if defined(TESSERA_DEVICE_CPU_SIMD_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SIMD_MATH_INL
#undef TESSERA_DEVICE_CPU_SIMD_MATH_INL
#else
#define TESSERA_DEVICE_CPU_SIMD_MATH_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::ScalableTag<double>;
using Bits = hn::RebindToUnsigned<Reals>;
using Real = hn::Vec<Reals>;
using BitsOfReal = hn::Vec<Bits>;
using Mask = hn::Mask<Reals>;

inline constexpr std::size_t kLanes = HWY_LANES(double);

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
HWY_INLINE BitsOfReal ts_bits_shift_52(BitsOfReal a) {
  return hn::ShiftRight<52>(a);
}

#define TS_FN HWY_INLINE
#define TS_REAL Real
#define TS_BITS BitsOfReal
#include "kernels/mandelbrot.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS

/// Calls f(0), f(1), ... f(kCount - 1) with constants: only then do arrays of vectors live in
/// registers (GCC 12 sends an array indexed by a loop variable through memory).
template <class F, std::size_t... kIndex>
HWY_INLINE void each_of(const F& f, std::index_sequence<kIndex...>) {
  (f(std::integral_constant<std::size_t, kIndex>()), ...);
}
template <std::size_t kCount, class F>
HWY_INLINE void each(const F& f) {
  each_of(f, std::make_index_sequence<kCount>());
}
#define TESSERA_INLINE_LAMBDA __attribute__((always_inline))

/// The lanes of `mask` in `v`, moved together, to `to` and as much beyond as fills a vector. A
/// compressing store would do the same, but takes over a hundred cycles on Zen 4.
template <class D, class V, class T>
HWY_INLINE void append(D d, V v, hn::Mask<D> mask, T* to) {
  hn::StoreU(hn::Compress(v, mask), d, to);
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
