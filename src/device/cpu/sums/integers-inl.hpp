// The sum and the sum of squares of numbers as integers: where multiplying integers of 52 bits is
// one instruction, that is half the work of doing it in windows. Numbers are brought to fixed point
// by an addition,
//
//   t = C + x,  C = 2^E (1 + 2^(h - 52)):  as long as t stays in [2^E, 2^(E+1)), the lower 52 bits
//   of its representation are Y = X + 2^h, where X is x in units of t's last bit, u = 2^(E - 52),
//
// and sums of Y and Y Y give those of X and X X. docs/numerics.md, "Sums".
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

/// Of a block: 4096 times |Z| <= 2^50 is less than 2^63.
inline constexpr std::size_t kIntegerBytes = 32768;

#if TESSERA_MULTIPLIES_52_BITS

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
