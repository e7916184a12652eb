// Transposes a kLanes x kLanes matrix of f64 in registers.
#if defined(TESSERA_DEVICE_CPU_SIMD_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SIMD_TRANSPOSE_INL
#undef TESSERA_DEVICE_CPU_SIMD_TRANSPOSE_INL
#else
#define TESSERA_DEVICE_CPU_SIMD_TRANSPOSE_INL
#endif

#include "device/cpu/simd/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Lane j of vector i becomes lane i of vector j. Swaps within pairs of lanes first, then within
/// groups of four, then between halves.
HWY_INLINE void transpose([[maybe_unused]] Real (&x)[kLanes]) {
  [[maybe_unused]] const Reals d;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kLanes >= 2) {
    each<kLanes / 2>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real low = hn::InterleaveLower(d, x[2 * i], x[2 * i + 1]);
      x[2 * i + 1] = hn::InterleaveUpper(d, x[2 * i], x[2 * i + 1]);
      x[2 * i] = low;
    });
  }
#endif
#if HWY_MAX_BYTES >= 64
  if constexpr (kLanes >= 8) {
    each<2>([&](auto g) TESSERA_INLINE_LAMBDA {
      each<2>([&](auto i) TESSERA_INLINE_LAMBDA {
        Real& a = x[4 * g + i];
        Real& b = x[4 * g + i + 2];
        const Real even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
        b = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
        a = even;
      });
    });
  }
#endif
#if HWY_MAX_BYTES >= 32
  if constexpr (kLanes >= 4) {
    constexpr std::size_t kHalf = kLanes / 2;
    each<kHalf>([&](auto i) TESSERA_INLINE_LAMBDA {
      const Real lower = hn::ConcatLowerLower(d, x[i + kHalf], x[i]);
      x[i + kHalf] = hn::ConcatUpperUpper(d, x[i + kHalf], x[i]);
      x[i] = lower;
    });
  }
#endif
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
