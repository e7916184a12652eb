// Moves and loops of vectors of f64. Included once per instruction set, like all "-inl"
// files of Highway; the toggle below replaces an include guard.
#if defined(TESSERA_DEVICE_CPU_SIMD_SIMD_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SIMD_SIMD_MATH_INL
#undef TESSERA_DEVICE_CPU_SIMD_SIMD_MATH_INL
#else
#define TESSERA_DEVICE_CPU_SIMD_SIMD_MATH_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/real/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using namespace kernels::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): one set of
                                         // operations

inline constexpr std::size_t kLanes = HWY_LANES(double);

/// Calls f(0), f(1), ... f(kCount - 1) with compile-time constants. Only then does the compiler
/// keep arrays of vectors in registers (GCC 12 stores an array indexed by a loop variable in
/// memory).
template <class F, std::size_t... kIndex>
HWY_INLINE void each_of(const F& f, std::index_sequence<kIndex...>) {
  (f(std::integral_constant<std::size_t, kIndex>()), ...);
}
template <std::size_t kCount, class F>
HWY_INLINE void each(const F& f) {
  each_of(f, std::make_index_sequence<kCount>());
}
#define TESSERA_INLINE_LAMBDA __attribute__((always_inline))

#if HWY_ARCH_X86 && HWY_MAX_BYTES == 64

/// Moves the lanes of `mask` to the front. hn::Compress of Highway 1.0.3 copies a table of 2 KiB to
/// the stack in each call; a compressing store takes over a hundred cycles on Zen 4.
HWY_INLINE Real compress(Real v, Mask mask) {
  return Real{_mm512_maskz_compress_pd(mask.raw, v.raw)};
}

#else

/// Row b: the indices of the bits that are set in b, in order.
struct CompressTable {
  HWY_ALIGN std::int64_t lanes[std::size_t{1} << kLanes][kLanes] = {};

  constexpr CompressTable() {
    for (std::size_t bits = 0; bits < std::size_t{1} << kLanes; ++bits) {
      std::size_t filled = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if ((bits >> lane & 1) != 0) lanes[bits][filled++] = static_cast<std::int64_t>(lane);
      }
    }
  }
};
inline constexpr CompressTable kCompressTable;

/// Moves the lanes of `mask` to the front. hn::Compress of Highway 1.0.3 copies its table to the
/// stack in each call.
HWY_INLINE Real compress(Real v, Mask mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Reals(), mask, bits);
  const auto* row = kCompressTable.lanes[bits[0]];
  return hn::TableLookupLanes(v, hn::SetTableIndices(Reals(), row));
}

#endif

/// Integers below 2^52 as f64.
HWY_INLINE Real real_of(BitsOfReal n) {
  return ts_sub(ts_from_bits(ts_bits_or(n, ts_bits(0x4330000000000000))), ts_real(0x1p52));
}

/// Stores the lanes of `mask` at `to`, followed by arbitrary values up to the length of a vector.
HWY_INLINE void append(Real v, Mask mask, double* to) {
  hn::StoreU(compress(v, mask), Reals(), to);
}
HWY_INLINE void append(BitsOfReal v, Mask mask, std::uint64_t* to) {
  const Real moved = compress(hn::BitCast(Reals(), v), mask);
  hn::StoreU(hn::BitCast(Bits(), moved), Bits(), to);
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
