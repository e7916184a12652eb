// Sums, means, norms and deviations of a vector of outputs at a time, each rounded once. The sum is
// held in two f64, and a bound of all errors shows whether the rounding is safe (Ziv's test).
// Outputs that fail the test need longer arithmetic.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_COLUMN_ROUNDING_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_ROUNDING_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_COLUMN_ROUNDING_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_COLUMN_ROUNDING_INL
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "device/cpu/columns/column_kernels.hpp"
#include "device/cpu/columns/column_windows-inl.hpp"
#include "device/cpu/simd/plain_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The value high + low; high is the f64 nearest to it.
struct Double {
  Real high, low;
};

/// Knuth's error-free addition.
HWY_INLINE Double two_sum(Real a, Real b) {
  const Real sum = hn::Add(a, b);
  const Real of_b = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, of_b)), hn::Sub(b, of_b))};
}

HWY_INLINE Mask is_zero(Real x) {
  return hn::Eq(x, hn::Zero(Reals()));
}

/// The sum of an output's windows. `whole`: the lanes without an error. In the other lanes, the
/// error is less than 2^-103 of the largest partial sum, or the sum is NaN.
struct Expansion {
  Double sum;
  Mask whole;
};

HWY_INLINE Expansion expand(const ColumnBlock& block, std::size_t column) {
  const Real zero = hn::Zero(Reals());
  if (block.windows() == 0) return {{zero, zero}, is_zero(zero)};
  const Real nan = hn::Set(Reals(), std::numeric_limits<double>::quiet_NaN());
  if (block.exponents.front() < -900) return {{nan, zero}, is_zero(nan)};
  // Converts the bank to f64 by adding a magic number; NaN if it is too large for that.
  const hn::RebindToSigned<Reals> d;
  const auto bank = hn::LoadU(d, &block.bank[column]);
  const auto small = hn::Lt(hn::Abs(bank), hn::Set(d, std::int64_t{1} << 51));
  const auto magic = hn::BitCast(d, hn::Set(Reals(), 0x1.8p52));
  const Real units =
      hn::Sub(hn::BitCast(Reals(), hn::Add(bank, magic)), hn::Set(Reals(), 0x1.8p52));
  const Real unit =
      hn::Set(Reals(), power_of_two(block.exponents.front() + ColumnBlock::kStepBits - 52));
  const auto known = hn::MaskFromVec(hn::BitCast(Reals(), hn::VecFromMask(d, small)));
  Real sum = hn::IfThenElse(known, hn::Mul(units, unit), nan);
  Real low = zero;
  auto lost = hn::Zero(Bits());
  for (std::size_t k = 0; k < block.windows(); ++k) {
    const Real part =
        hn::Sub(hn::LoadU(Reals(), block.window(k) + column), start_of(block.exponents[k]));
    const Double both = two_sum(sum, part);
    const Double rest = two_sum(low, both.low);
    sum = both.high;
    low = rest.high;
    lost = hn::Or(lost, hn::BitCast(Bits(), hn::Abs(rest.low)));
  }
  const auto nothing = hn::VecFromMask(Bits(), hn::Eq(lost, hn::Zero(Bits())));
  return {two_sum(sum, low), hn::MaskFromVec(hn::BitCast(Reals(), nothing))};
}

#if HWY_NATIVE_FMA

/// x + more, rounded once. Clears lanes of `sure` in which the result could differ for an error of
/// `more` below `bound`.
HWY_INLINE Real round_surely(Real x, Real more, Real bound, Mask& sure) {
  const Real below = hn::Add(x, hn::Sub(more, bound));
  const Real above = hn::Add(x, hn::Add(more, bound));
  sure = hn::And(sure, hn::Eq(below, above));
  return below;
}

/// For numbers in this range, the products and quotients below have exact errors.
HWY_INLINE Mask is_safe(Real x) {
  const Real size = hn::Abs(x);
  return hn::And(hn::Gt(size, hn::Set(Reals(), 0x1p-400)),
                 hn::Lt(size, hn::Set(Reals(), 0x1p+400)));
}

/// Bound of the relative error of a correction, which is a few units in the last place itself.
inline constexpr double kOfCorrection = 0x1p-50;
/// Bound of the relative error of numbers held in two f64, after a few operations.
inline constexpr double kOfDouble = 0x1p-98;

/// x / n: the quotient and a correction, whose relative error is below kOfCorrection.
HWY_INLINE Double divide(Double x, Real n) {
  const Real quotient = hn::Div(x.high, n);
  const Real rest = hn::NegMulAdd(quotient, n, x.high);
  return {quotient, hn::Div(hn::Add(rest, x.low), n)};
}

/// The root and a correction, as in divide().
HWY_INLINE Double square_root(Double x) {
  const Real root = hn::Sqrt(x.high);
  const Real rest = hn::NegMulAdd(root, root, x.high);
  return {root, hn::Div(hn::Add(rest, x.low), hn::Add(root, root))};
}

HWY_INLINE Real correction_bound(Double x) {
  return hn::Mul(hn::Abs(x.low), hn::Set(Reals(), kOfCorrection));
}

HWY_INLINE Real quotient_of(const Expansion& x, Real n, Mask& sure) {
  const Double quotient = divide(x.sum, n);
  sure = hn::And(x.whole, is_safe(x.sum.high));
  return round_surely(quotient.high, quotient.low, correction_bound(quotient), sure);
}

HWY_INLINE Real root_of(const Expansion& x, Mask& sure) {
  const Double root = square_root(x.sum);
  const Real bound = hn::MulAdd(root.high, hn::Set(Reals(), kOfDouble), correction_bound(root));
  sure = is_safe(x.sum.high);
  const Real rounded = round_surely(root.high, root.low, bound, sure);
  const Mask zero = hn::And(x.whole, is_zero(x.sum.high));
  sure = hn::Or(sure, zero);
  return hn::IfThenZeroElse(zero, rounded);
}

/// (n squares - sum^2) / (n (n - ddof)), or its root.
HWY_INLINE Real deviation_of(const Expansion& sum, const Expansion& squares, const Deviation& asked,
                             Mask& sure) {
  const Real n = hn::Set(Reals(), asked.n);
  const Real s = sum.sum.high;
  const Real q = squares.sum.high;
  const Real square = hn::Mul(s, s);
  const Real square_low = hn::MulAdd(hn::Add(s, s), sum.sum.low, hn::MulSub(s, s, square));
  const Real all = hn::Mul(n, q);
  const Real all_low = hn::MulAdd(n, squares.sum.low, hn::MulSub(n, q, all));
  const Double difference = two_sum(all, hn::Neg(square));
  const Real more = hn::Sub(all_low, square_low);
  const Double rest = two_sum(difference.high, hn::Add(difference.low, more));
  // The error of the numerator.
  Real bound = hn::Mul(all, hn::Set(Reals(), kOfDouble));
  const Real divisor = hn::Set(Reals(), asked.n * asked.rest);
  Double answer = divide(rest, divisor);
  bound = hn::Add(hn::Div(bound, divisor), correction_bound(answer));
  if (asked.root) {
    const Double variance = answer;
    answer = square_root(variance);
    bound = hn::Add(hn::Div(bound, answer.high), correction_bound(answer));
    bound = hn::MulAdd(answer.high, hn::Set(Reals(), kOfDouble), bound);
  }
  sure = hn::And(sum.whole, hn::And(is_safe(q), hn::Or(is_safe(s), is_zero(s))));
  const Real rounded = round_surely(answer.high, answer.low, bound, sure);
  // All numbers are the same.
  const Mask same = hn::And(
      hn::And(sum.whole, squares.whole),
      hn::And(hn::And(is_zero(sum.sum.low), is_zero(squares.sum.low)),
              hn::And(is_zero(difference.high), hn::And(is_zero(difference.low), is_zero(more)))));
  const Mask zero = hn::And(same, hn::Or(is_zero(q), hn::And(is_safe(q), is_safe(s))));
  sure = hn::Or(sure, zero);
  return hn::IfThenZeroElse(zero, rounded);
}

#endif

/// Calls round(block, column, sure) for one vector of outputs after another and stores the results.
/// Outputs that are not `sure` are appended to `again`.
template <class Round>
HWY_INLINE void round_columns(const WindowedColumns& sums, double* to,
                              std::vector<std::int64_t>& again, const Round& round) {
  const std::int64_t outputs = sums.outputs();
  constexpr auto kVector = static_cast<std::int64_t>(kLanes);
  constexpr auto kBlock = static_cast<std::int64_t>(ColumnBlock::kColumns);
  for (std::int64_t o = 0; o < outputs; o += kVector) {
    Mask sure = is_zero(hn::Zero(Reals()));
    const Real rounded =
        round(static_cast<std::size_t>(o / kBlock), static_cast<std::size_t>(o % kBlock), sure);
    const std::int64_t count = std::min(kVector, outputs - o);
    HWY_ALIGN double some[kLanes];
    if (HWY_LIKELY(count == kVector)) {
      hn::StoreU(rounded, Reals(), to + o);
      if (HWY_LIKELY(hn::AllTrue(Reals(), sure))) continue;
    } else {
      hn::Store(rounded, Reals(), some);
      std::copy_n(some, count, to + o);
    }
    hn::Store(hn::IfThenElseZero(sure, hn::Set(Reals(), 1.0)), Reals(), some);
    for (std::int64_t i = 0; i < count; ++i) {
      if (some[i] == 0) again.push_back(o + i);
    }
  }
}

inline void all_again(const WindowedColumns& sums, std::vector<std::int64_t>& again) {
  for (std::int64_t o = 0; o < sums.outputs(); ++o) again.push_back(o);
}

inline void quotients(const WindowedColumns& sums, std::uint64_t n, double* to,
                      std::vector<std::int64_t>& again) {
  if (sums.has_spilled() || n > std::uint64_t{1} << 52) return all_again(sums, again);
  const PlainArithmetic arithmetic;
  const bool signs = sums.terms() == Terms::values;
  round_columns(sums, to, again, [&](std::size_t b, std::size_t column, Mask& sure) {
    const ColumnBlock& block = sums.blocks()[b];
    const Expansion sum = expand(block, column);
    Real rounded = sum.sum.high;
    sure = sum.whole;
    const Mask zero = hn::And(sure, is_zero(rounded));
    if (n > 1) {
#if HWY_NATIVE_FMA
      rounded = quotient_of(sum, hn::Set(Reals(), static_cast<double>(n)), sure);
#else
      sure = zero;
#endif
    }
    sure = hn::Or(sure, zero);
    const auto other = hn::LoadU(Bits(), &block.other[column]);
    const Mask negative = hn::MaskFromVec(
        hn::BitCast(Reals(), hn::VecFromMask(Bits(), hn::Eq(other, hn::Zero(Bits())))));
    const Real zeros =
        signs ? hn::IfThenElseZero(negative, hn::Set(Reals(), -0.0)) : hn::Zero(Reals());
    return hn::IfThenElse(zero, zeros, rounded);
  });
}

inline void roots(const WindowedColumns& squares, double* to, std::vector<std::int64_t>& again) {
#if HWY_NATIVE_FMA
  if (squares.has_spilled()) return all_again(squares, again);
  const PlainArithmetic arithmetic;
  round_columns(squares, to, again, [&](std::size_t b, std::size_t column, Mask& sure) {
    return root_of(expand(squares.blocks()[b], column), sure);
  });
#else
  static_cast<void>(to);
  all_again(squares, again);
#endif
}

inline void deviations(const WindowedColumns& sums, const WindowedColumns& squares,
                       const Deviation& asked, double* to, std::vector<std::int64_t>& again) {
#if HWY_NATIVE_FMA
  const bool large = !(asked.n * asked.n < 0x1p52);
  if (sums.has_spilled() || squares.has_spilled() || large) return all_again(sums, again);
  const PlainArithmetic arithmetic;
  round_columns(sums, to, again, [&](std::size_t b, std::size_t column, Mask& sure) {
    const Expansion sum = expand(sums.blocks()[b], column);
    return deviation_of(sum, expand(squares.blocks()[b], column), asked, sure);
  });
#else
  static_cast<void>(squares), static_cast<void>(asked), static_cast<void>(to);
  all_again(sums, again);
#endif
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
