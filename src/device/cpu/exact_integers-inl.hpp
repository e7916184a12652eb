// The sum and the sum of squares of numbers as integers: where multiplying integers of 52 bits is
// one instruction, that is half the work of doing it in windows. Numbers are brought to fixed point
// by an addition,
//
//   t = C + x,  C = 2^E (1 + 2^(h - 52)):  as long as t stays in [2^E, 2^(E+1)), the lower 52 bits
//   of its representation are Y = X + 2^h, where X is x in units of t's last bit, u = 2^(E - 52),
//
// and sums of Y and Y Y give those of X and X X. docs/numerics.md, "Sums".
#if defined(TESSERA_DEVICE_CPU_EXACT_INTEGERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_EXACT_INTEGERS_INL
#undef TESSERA_DEVICE_CPU_EXACT_INTEGERS_INL
#else
#define TESSERA_DEVICE_CPU_EXACT_INTEGERS_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "device/cpu/array_extremes.hpp"
#include "device/cpu/exact_windows-inl.hpp"
#include "device/cpu/exponent_table-inl.hpp"
#include "device/cpu/rounding_flag.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Of a block: 4096 times |Z| <= 2^50 is less than 2^63.
inline constexpr std::size_t kIntegerBytes = 32768;

#if HWY_ARCH_X86 && HWY_MAX_BYTES == 64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)

inline bool multiplies_52_bits() {
  static const bool does = __builtin_cpu_supports("avx512ifma") != 0;
  return does;
}

using Words = BitsOfReal;

/// To each lane of `sum`, the lower or the upper 52 bits of the product of the lower 52 of a and b.
/// As text: an intrinsic needs functions for another target, which are not inlined into those for
/// this one.
HWY_INLINE void add_low_product(Words& sum, Words a, Words b) {
  asm("vpmadd52luq %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
}
HWY_INLINE void add_high_product(Words& sum, Words a, Words b) {
  asm("vpmadd52huq %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
}

/// x + y, rounded without raising the flag that says so. (Without a mask GCC 12 warns of its own
/// header.)
HWY_INLINE Real add_silently(Real x, Real y) {
  return Real{
      _mm512_maskz_add_round_pd(0xff, x.raw, y.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}

/// Of a block of numbers, each below 2^52, at most 1024 to a lane.
HWY_INLINE kernels::Int128 total_of(Words sums) {
  const Words lower_half = hn::Set(Bits(), 0xffffffff);
  const auto low = hn::GetLane(hn::SumOfLanes(Bits(), hn::And(sums, lower_half)));
  const auto high = hn::GetLane(hn::SumOfLanes(Bits(), hn::ShiftRight<32>(sums)));
  return (static_cast<kernels::Int128>(high) << 32) + low;
}

/// A sum of products of 52 by 52 bits, of which the lower and the upper 52 are added apart.
struct WideSum {
  Words low, high;

  HWY_INLINE WideSum() : low(hn::Zero(Bits())), high(hn::Zero(Bits())) {}
  HWY_INLINE void add(Words a, Words b) {
    add_low_product(low, a, b);
    add_high_product(high, a, b);
  }
  HWY_INLINE kernels::Int128 total() const { return (total_of(high) << 52) + total_of(low); }
};

/// The least and the greatest of a block, in lanes of the elements.
template <class T, bool kWanted>
struct LaneExtremes {
  using D = hn::ScalableTag<T>;
  hn::Vec<D> least, greatest;

  HWY_INLINE explicit LaneExtremes(const Extremes<T>* before) {
    if constexpr (kWanted) {
      least = hn::Set(D(), before->least);
      greatest = hn::Set(D(), before->greatest);
    }
  }
  HWY_INLINE void add(const T* from) {
    if constexpr (kWanted) {
      const auto x = hn::LoadU(D(), from);
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
    }
  }
  HWY_INLINE void give(Extremes<T>* to) const {
    if constexpr (kWanted) {
      to->least = hn::GetLane(hn::MinOfLanes(D(), least));
      to->greatest = hn::GetLane(hn::MaxOfLanes(D(), greatest));
    }
  }
};

/// Modulo 2^64, which SumOfLanes is only where the compiler's own header adds without signs.
HWY_INLINE std::uint64_t wrapped_total_of(Words words) {
  std::array<std::uint64_t, 8> lanes;
  hn::StoreU(words, Bits(), lanes.data());
  return std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
}

/// What t has of a number x: the integer X, as long as it does not leave its binade.
template <int kOffsetBit>
struct FixedPoint {
  Words start;
  Words units;  ///< sum of t's bits, modulo 2^64

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
  /// Whether all words are below 2^(kOffsetBit + 1), which is seen in the bits where they differed.
  static HWY_INLINE bool holds(Words differences) {
    const Words above = hn::Set(Bits(), ~((std::uint64_t{2} << kOffsetBit) - 1));
    return hn::AllTrue(Bits(), hn::Eq(hn::And(differences, above), hn::Zero(Bits())));
  }
  HWY_INLINE std::int64_t total(std::size_t count) const {
    return static_cast<std::int64_t>(wrapped_total_of(units) - count * hn::GetLane(start));
  }
};

/// Sums over a block of numbers: of f32 x = X u; of f64 x = (2^51 X + Z) u, where |X| < 2^25 and
/// |Z| <= 2^50.
struct IntegerMoments {
  std::int64_t first = 0;           ///< of X
  std::int64_t second = 0;          ///< of Z
  kernels::Int128 squares = 0;      ///< of X X
  kernels::Int128 mixed = 0;        ///< of X Z
  kernels::Int128 low_squares = 0;  ///< of Z Z
};
inline constexpr int kUpperStep = 51;
inline constexpr int kHalfOfUpper = 25;    ///< |X| < 2^25
inline constexpr int kHalfOfSingles = 50;  ///< |X| < 2^50: 8192 of them add up to less than 2^63

/// Returns false if a number is not below 2^50 units. Whether it is a multiple of them, the flag
/// says.
template <bool kExtremes>
HWY_NOINLINE bool integer_moments(const float* x, std::size_t count, int unit, IntegerMoments& to,
                                  Extremes<float>* extremes) {
  constexpr int kHalf = kHalfOfSingles;
  FixedPoint<kHalf> numbers(unit);
  WideSum squares[2];
  LaneExtremes<float, kExtremes> found(extremes);
  const Real one = hn::Set(Reals(), 1.0);
  Findings check;
  for (std::size_t i = 0; i < count; i += 4 * kLanes) {
    each<2>([&](auto c) TESSERA_INLINE_LAMBDA {
      found.add(x + i + c * 2 * kLanes);
      __builtin_prefetch(x + i + c * 2 * kLanes + kPrefetchBytes / sizeof(float));
    });
    each<4>([&](auto c) TESSERA_INLINE_LAMBDA {
      const Real term = load_reals(x + i + c * kLanes);
      // By turns in the unit that adds, as conversions do, and in the one that multiplies.
      const Real t =
          c % 2 == 0 ? hn::Add(term, numbers.origin()) : hn::MulAdd(term, one, numbers.origin());
      check.compare(t, numbers.origin(), check.moved);
      const Words word = numbers.add(t);
      squares[c % 2].add(word, word);
    });
  }
  if (!numbers.holds(check.moved)) return false;
  found.give(extremes);
  const auto n = static_cast<kernels::Int128>(count);
  to.first = numbers.total(count);
  to.squares = squares[0].total() + squares[1].total() -
               (static_cast<kernels::Int128>(to.first) << (kHalf + 1)) - (n << (2 * kHalf));
  return true;
}

/// Returns false if a number is not below 2^76 units. Whether it is a multiple of them, the flag
/// says.
template <bool kExtremes>
HWY_NOINLINE bool integer_moments(const double* x, std::size_t count, int unit, IntegerMoments& to,
                                  Extremes<double>* extremes) {
  constexpr int kHalf = 51, kUpperHalf = kHalfOfUpper;
  FixedPoint<kUpperHalf> upper(unit + kUpperStep);
  FixedPoint<kHalf> lower(unit);
  Words squares = hn::Zero(Bits());  // of integers below 2^26
  WideSum mixed, low_squares;
  LaneExtremes<double, kExtremes> found(extremes);
  Findings check;
  for (std::size_t i = 0; i < count; i += 4 * kLanes) {
    each<4>([&](auto c) TESSERA_INLINE_LAMBDA {
      const double* const from = x + i + c * kLanes;
      found.add(from);
      __builtin_prefetch(from + kPrefetchBytes / sizeof(double));
      const Real term = load_reals(from);
      const Real t = add_silently(term, upper.origin());
      check.compare(t, upper.origin(), check.moved);
      const Real rest = hn::Sub(term, subtract(t, upper.origin()));
      const Words high = upper.add(t);
      const Words low = lower.add(hn::Add(rest, lower.origin()));
      add_low_product(squares, high, high);
      mixed.add(high, low);
      low_squares.add(low, low);
    });
  }
  if (!upper.holds(check.moved)) return false;
  found.give(extremes);
  const auto n = static_cast<kernels::Int128>(count);
  const kernels::Int128 first = upper.total(count), second = lower.total(count);
  to.first = static_cast<std::int64_t>(first);
  to.second = static_cast<std::int64_t>(second);
  to.squares = total_of(squares) - (first << (kUpperHalf + 1)) - (n << (2 * kUpperHalf));
  to.mixed =
      mixed.total() - (first << kHalf) - (second << kUpperHalf) - (n << (kHalf + kUpperHalf));
  to.low_squares = low_squares.total() - (second << (kHalf + 1)) - (n << (2 * kHalf));
  return true;
}

/// Adds a block of numbers below 2^top, kIntegerBytes at most, and their squares. Returns false,
/// with nothing added, if they are not, or have bits too small for this.
template <class T, bool kExtremes>
bool add_integer_moments(const T* x, Block block, int top, Superaccumulator& sum,
                         SquareAccumulator& squares, Extremes<T>* extremes) {
  constexpr bool kDouble = sizeof(T) == 8;
  constexpr int kLowestUnit = -1074;
  if (top > 990 || !multiplies_52_bits() || !RoundingFlag::works()) return false;
  const int unit =
      std::max(kDouble ? top - kHalfOfUpper - kUpperStep : top - kHalfOfSingles, kLowestUnit);
  IntegerMoments found;
  RoundingFlag::lower();
  const bool hold =
      integer_moments<kExtremes>(x + block.first, block.end - block.first, unit, found, extremes);
  if (!hold || RoundingFlag::is_raised()) return false;
  const int step = kDouble ? kUpperStep : 0;
  add_wide(found.first, unit + step, sum);
  add_wide(found.squares, 2 * (unit + step), squares);
  if constexpr (kDouble) {
    add_wide(found.second, unit, sum);
    add_wide(found.mixed, 2 * unit + step + 1, squares);
    add_wide(found.low_squares, 2 * unit, squares);
  }
  return true;
}

#else

/// Not without the instruction.
template <class T, bool kExtremes>
bool add_integer_moments(const T*, Block, int, Superaccumulator&, SquareAccumulator&,
                         Extremes<T>*) {
  return false;
}

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
