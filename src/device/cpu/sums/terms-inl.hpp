// The terms of an exact sum: numbers, or products as two f64 (the rounded product and its error).
// All sources of terms have the same members, so that windows and tables are written once.
#if defined(TESSERA_DEVICE_CPU_SUMS_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_TERMS_INL
#undef TESSERA_DEVICE_CPU_SUMS_TERMS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_TERMS_INL
#endif

#include <bit>
#include <cmath>

#include "device/cpu/simd/simd_math-inl.hpp"
#include "kernels/exact/superaccumulator.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

HWY_INLINE Real load_reals(const double* from) {
  return hn::LoadU(Reals(), from);
}
HWY_INLINE Real load_reals(const float* from) {
  return hn::PromoteTo(Reals(), hn::LoadU(hn::Rebind<float, Reals>(), from));
}

/// Far enough ahead to hide memory latency, near enough to stay in the L1 cache.
inline constexpr std::size_t kPrefetchBytes = 6144;

/// Blocks consist of whole groups of terms: as many as the longest group of vectors holds.
// crossed by: of_blocks_of_sums, TakesArraysOfAnyLength
inline constexpr std::size_t kGroupTerms = 4 * kLanes;

/// Whether all elements of kVectors vectors of f64, from x on, are less than `bound` from zero;
/// tested before conversion to f64.
template <std::size_t kVectors, class T>
HWY_INLINE bool are_below(const T* x, T bound) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kCount = kVectors * kLanes / HWY_LANES(T);
  static_assert(kCount * HWY_LANES(T) == kVectors * kLanes);
  const auto limit = hn::Set(d, bound);
  auto below = hn::Lt(hn::Abs(hn::LoadU(d, x)), limit);
  each<kCount - 1>([&](auto v) TESSERA_INLINE_LAMBDA {
    const auto next = hn::LoadU(d, x + (v + 1) * HWY_LANES(T));
    below = hn::And(below, hn::Lt(hn::Abs(next), limit));
  });
  return hn::AllTrue(d, below);
}

/// The terms x[i] or |x[i]|.
template <class T, bool kAbsolute>
class Numbers {
 public:
  using Sum = kernels::Superaccumulator;
  using Element = T;
  static constexpr bool kInPlace = !kAbsolute;  ///< the terms are the stored numbers
  /// With more windows, the exponent table is faster.
  // crossed by: IsTheSameWithEveryInstructionSetWhateverFollowsWhat
  static constexpr std::size_t kMaxWindows = kInPlace && sizeof(T) == 4 ? 3 : 6;
  static constexpr std::size_t kStreams = 1;
  static constexpr bool kCanUnderflow = false;
  static constexpr bool kJudgedBySize = false;
  static constexpr int kSignificantBits = sizeof(T) == 4 ? 24 : 53;
  static constexpr std::size_t kFewestWindows = sizeof(T) == 4 ? 1 : 2;

  explicit Numbers(const T* x) : x_(x) {}

  HWY_INLINE Real high(std::size_t i) const {
    const Real x = load_reals(x_ + i);
    return kAbsolute ? hn::Abs(x) : x;
  }
  HWY_INLINE Real low(std::size_t, Real high) const { return high; }
  const T* terms() const { return x_; }
  HWY_INLINE void prefetch(std::size_t i) const {
    __builtin_prefetch(x_ + i + kPrefetchBytes / sizeof(T));
  }
  HWY_INLINE Mask is_zero(std::size_t, Real high) const { return hn::Eq(high, hn::Zero(Reals())); }
  /// Whether all elements of a group are less than `bound` from zero.
  HWY_INLINE bool group_is_below(std::size_t i, T bound) const {
    return are_below<kGroupTerms / kLanes>(x_ + i, bound);
  }

  void add_one(std::size_t i, Sum& sum) const { sum.add(term(i)); }
  bool is_zero(std::size_t i) const { return x_[i] == 0; }
  bool is_negative_zero(std::size_t i) const {
    return std::bit_cast<std::uint64_t>(term(i)) == std::uint64_t{1} << 63;
  }

 private:
  double term(std::size_t i) const {
    const double x = x_[i];
    return kAbsolute ? std::abs(x) : x;
  }

  const T* x_;
};

/// The terms x[i] y[i]. For f64, the sum of two f64, which is exact unless the error underflows:
/// Dekker's two-product with FMA. For f32, one f64, which holds the product.
template <class T, bool kSquares>
class Products {
 public:
  using Sum = kernels::SquareAccumulator;
  static constexpr bool kInPlace = false;
  // crossed by: IsTheSameWithEveryInstructionSetWhateverFollowsWhat
  static constexpr std::size_t kMaxWindows = 6;
  static constexpr std::size_t kStreams = sizeof(T) == 4 ? 1 : 2;
  static constexpr bool kCanUnderflow = sizeof(T) == 8;
  /// The size of a term tells whether the windows hold all its bits; the rest of each term need not
  /// be tested.
  static constexpr bool kJudgedBySize = true;
  static constexpr int kSignificantBits = sizeof(T) == 4 ? 48 : 53;
  // crossed by: IsTheSameWithEveryInstructionSetWhateverFollowsWhat
  static constexpr std::size_t kFewestWindows = 2;

  /// `ahead`: prefetch distance in elements.
  Products(const T* x, const T* y, std::size_t ahead) : x_(x), y_(y), ahead_(ahead) {}

  HWY_INLINE Real high(std::size_t i) const { return hn::Mul(x(i), y(i)); }
  HWY_INLINE Real low(std::size_t i, Real high) const { return hn::MulSub(x(i), y(i), high); }
  HWY_INLINE void prefetch(std::size_t i) const {
    __builtin_prefetch(x_ + i + ahead_);
    if (!kSquares) __builtin_prefetch(y_ + i + ahead_);
  }
  HWY_INLINE Mask is_zero(std::size_t i, Real) const {
    const Real zero = hn::Zero(Reals());
    return hn::Or(hn::Eq(x(i), zero), hn::Eq(y(i), zero));
  }

  void add_one(std::size_t i, Sum& sum) const {
    sum.add_product(static_cast<double>(x_[i]), static_cast<double>(y_[i]));
  }
  bool is_negative_zero(std::size_t i) const {
    return (x_[i] == 0 || y_[i] == 0) && std::signbit(x_[i]) != std::signbit(y_[i]);
  }

 private:
  HWY_INLINE Real x(std::size_t i) const { return load_reals(x_ + i); }
  HWY_INLINE Real y(std::size_t i) const { return kSquares ? x(i) : load_reals(y_ + i); }

  const T* x_;
  const T* y_;
  std::size_t ahead_;
};

/// For smaller products, the error may have bits below 2^-1074.
inline constexpr double kSmallestSafeProduct = 0x1p-959;
inline constexpr double kSmallestSafeFactor = 0x1p-479;  ///< for squares

/// Terms that vectors can process: below `limit`, not NaN, and not too small for an exact error.
template <class Source>
HWY_INLINE Mask regular(Real high, Real limit) {
  const Real size = hn::Abs(high);
  const Mask below = hn::Lt(size, limit);
  if constexpr (!Source::kCanUnderflow) return below;
  return hn::And(below, hn::Ge(size, hn::Set(Reals(), kSmallestSafeProduct)));
}

template <class Source>
HWY_INLINE void count_nans(const Source& source, std::size_t i, typename Source::Sum& sum) {
  sum.add_nans(static_cast<std::int64_t>(hn::CountTrue(Reals(), hn::IsNaN(source.high(i)))));
}

/// Adds individually the terms of the vector at i that are not `regular`, except NaN and zeros.
template <class Source>
HWY_NOINLINE void add_irregular(const Source& source, std::size_t i, Real limit,
                                typename Source::Sum& sum) {
  const Real high = source.high(i);
  const Mask nan = hn::IsNaN(high);
  const Mask left_out =
      hn::Not(hn::Or(hn::Or(regular<Source>(high, limit), nan), source.is_zero(i, high)));
  if (hn::AllFalse(Reals(), left_out)) return;
  alignas(8) std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Reals(), left_out, bits);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((bits[lane / 8] >> (lane % 8) & 1) != 0) source.add_one(i + lane, sum);
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
