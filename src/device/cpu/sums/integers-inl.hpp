// Sum and sum of squares in integer arithmetic. With an instruction that multiplies 52-bit
// integers, this is half the work of windows. An addition converts numbers to fixed point:
//
//   t = C + x,  C = 2^E (1 + 2^(h - 52)).  As long as t stays in [2^E, 2^(E+1)), the lower 52 bits
//   of its representation are Y = X + 2^h, where X is x in units of t's last bit, u = 2^(E - 52).
//
// The sums of X and X^2 follow from those of Y and Y^2. docs/numerics-sums.md, "Sums".
#if defined(TESSERA_DEVICE_CPU_SUMS_INTEGERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_INTEGERS_INL
#undef TESSERA_DEVICE_CPU_SUMS_INTEGERS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_INTEGERS_INL
#endif

#include <algorithm>
#include <cstdint>

#include "device/cpu/passes/array_extremes.hpp"
#include "device/cpu/simd/inexact_flag.hpp"
#include "device/cpu/sums/exponent_table-inl.hpp"
#include "device/cpu/sums/fixed_point-inl.hpp"
#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Bytes of a block: 4096 numbers |Z| <= 2^50 add up to less than 2^63.
// crossed by: of_blocks_of_sums, SquaresTheLargestNumbersOfABinade
inline constexpr std::size_t kIntegerBytes = 32768;

#if TESSERA_MULTIPLIES_52_BITS

/// Minimum and maximum of a block, in lanes of the element type.
template <class T, bool kRequested>
struct LaneExtremes {
  using D = hn::ScalableTag<T>;
  hn::Vec<D> least, greatest;

  HWY_INLINE explicit LaneExtremes(const Extremes<T>* before) {
    if constexpr (kRequested) {
      least = hn::Set(D(), before->least);
      greatest = hn::Set(D(), before->greatest);
    }
  }
  HWY_INLINE void add(const T* from) {
    if constexpr (kRequested) {
      const auto x = hn::LoadU(D(), from);
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
    }
  }
  HWY_INLINE void give(Extremes<T>* to) const {
    if constexpr (kRequested) {
      to->least = hn::GetLane(hn::MinOfLanes(D(), least));
      to->greatest = hn::GetLane(hn::MaxOfLanes(D(), greatest));
    }
  }
};

/// Sums over a block of numbers. f32: x = X u; f64: x = (2^51 X + Z) u with |X| < 2^25 and |Z| <=
/// 2^50.
struct IntegerMoments {
  std::int64_t first = 0;           ///< sum of X
  std::int64_t second = 0;          ///< sum of Z
  kernels::Int128 squares = 0;      ///< sum of X X
  kernels::Int128 mixed = 0;        ///< sum of X Z
  kernels::Int128 low_squares = 0;  ///< sum of Z Z
};
inline constexpr int kUpperStep = 51;
// crossed by: of_blocks_of_sums, SquaresTheLargestNumbersOfABinade
inline constexpr int kHalfOfUpper = 25;    ///< |X| < 2^25
inline constexpr int kHalfOfSingles = 50;  ///< |X| < 2^50: 8192 of them add up to less than 2^63

/// Returns false if a number is not below 2^50 units. The inexact flag says whether all numbers are
/// multiples of the unit.
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
      // Alternates between the addition unit, which also converts, and the multiplication unit.
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

/// Returns false if a number is not below 2^76 units. The inexact flag says whether all numbers are
/// multiples of the unit.
template <bool kExtremes>
HWY_NOINLINE bool integer_moments(const double* x, std::size_t count, int unit, IntegerMoments& to,
                                  Extremes<double>* extremes) {
  constexpr int kHalf = 51, kUpperHalf = kHalfOfUpper;
  FixedPoint<kUpperHalf> upper(unit + kUpperStep);
  FixedPoint<kHalf> lower(unit);
  Words squares = hn::Zero(Bits());  // squares of integers below 2^26
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

/// Adds a block of numbers below 2^top, of at most kIntegerBytes, and their squares. Returns false,
/// with nothing added, if a number is larger or has too small bits.
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

/// Without the 52-bit multiplication there is no such method.
template <class T, bool kExtremes>
bool add_integer_moments(const T*, Block, int, Superaccumulator&, SquareAccumulator&,
                         Extremes<T>*) {
  return false;
}

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
