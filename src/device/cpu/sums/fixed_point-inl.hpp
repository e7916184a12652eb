// Numbers as 52-bit integers in vectors, and sums of their products.
#if defined(TESSERA_DEVICE_CPU_SUMS_FIXED_POINT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_FIXED_POINT_INL
#undef TESSERA_DEVICE_CPU_SUMS_FIXED_POINT_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_FIXED_POINT_INL
#endif

#include <array>
#include <cstdint>
#include <numeric>

#include "device/cpu/sums/terms-inl.hpp"

#undef TESSERA_MULTIPLIES_52_BITS
#define TESSERA_MULTIPLIES_52_BITS \
  (HWY_ARCH_X86 && HWY_MAX_BYTES == 64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG))

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

#if TESSERA_MULTIPLIES_52_BITS

inline bool multiplies_52_bits() {
  static const bool does = __builtin_cpu_supports("avx512ifma") != 0;
  return does;
}

using Words = BitsOfReal;

/// Adds the lower or the upper 52 bits of the product of the lower 52 bits of a and b to each lane
/// of `sum`. Inline assembly, because the intrinsic needs a function for another target, which is
/// not inlined into functions for this one.
HWY_INLINE void add_low_product(Words& sum, Words a, Words b) {
  asm("vpmadd52luq %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
}
HWY_INLINE void add_high_product(Words& sum, Words a, Words b) {
  asm("vpmadd52huq %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
}

/// x + y, rounded without raising the inexact flag. (Without a mask, GCC 12 warns about its own
/// header.)
HWY_INLINE Real add_silently(Real x, Real y) {
  return Real{
      _mm512_maskz_add_round_pd(0xff, x.raw, y.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}

/// Sum of the lanes. Each lane is a sum of at most 1024 numbers below 2^52.
HWY_INLINE kernels::Int128 total_of(Words sums) {
  const Words lower_half = hn::Set(Bits(), 0xffffffff);
  const auto low = hn::GetLane(hn::SumOfLanes(Bits(), hn::And(sums, lower_half)));
  const auto high = hn::GetLane(hn::SumOfLanes(Bits(), hn::ShiftRight<32>(sums)));
  return (static_cast<kernels::Int128>(high) << 32) + low;
}

/// A sum of products of 52-bit integers; their lower and upper 52 bits are summed separately.
struct WideSum {
  Words low, high;

  HWY_INLINE WideSum() : low(hn::Zero(Bits())), high(hn::Zero(Bits())) {}
  HWY_INLINE void add(Words a, Words b) {
    add_low_product(low, a, b);
    add_high_product(high, a, b);
  }
  HWY_INLINE kernels::Int128 total() const { return (total_of(high) << 52) + total_of(low); }
};

/// Sum of the lanes modulo 2^64. SumOfLanes does this only if the compiler's header adds unsigned
/// numbers.
HWY_INLINE std::uint64_t wrapped_total_of(Words words) {
  std::array<std::uint64_t, 8> lanes;
  hn::StoreU(words, Bits(), lanes.data());
  return std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
}

/// Fixed-point representation of x: the bits of t = C + x contain the integer X, as long as t stays
/// in its binade.
template <int kOffsetBit>
struct FixedPoint {
  Words start;
  Words units;  ///< sum of the bits of all t, modulo 2^64

  HWY_INLINE explicit FixedPoint(int unit)
      : start(hn::Set(Bits(), static_cast<std::uint64_t>(unit + 52 + 1023) << 52 |
                                  std::uint64_t{1} << kOffsetBit)),
        units(hn::Zero(Bits())) {}
  HWY_INLINE Real origin() const { return hn::BitCast(Reals(), start); }
  HWY_INLINE Words add(Real t) {
    const Words bits = hn::BitCast(Bits(), t);
    units = hn::Add(units, bits);
    return bits;
  }
  /// Whether all words are below 2^(kOffsetBit + 1), tested on the bits in which they differed from
  /// `start`.
  static HWY_INLINE bool holds(Words differences) {
    const Words above = hn::Set(Bits(), ~((std::uint64_t{2} << kOffsetBit) - 1));
    return hn::AllTrue(Bits(), hn::Eq(hn::And(differences, above), hn::Zero(Bits())));
  }
  HWY_INLINE std::int64_t total(std::size_t count) const {
    return static_cast<std::int64_t>(wrapped_total_of(units) - count * hn::GetLane(start));
  }
};

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
