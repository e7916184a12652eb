// What an exact sum is of: numbers, or products that come as two f64, the rounded one and its
// error. Every source of terms has the same members, so that windows and tables are written once.
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

/// Far enough for memory, near enough for the first-level cache.
inline constexpr std::size_t kPrefetchBytes = 6144;

/// Blocks are made of so many terms: what the longest group of vectors holds.
inline constexpr std::size_t kGroupTerms = 4 * kLanes;

/// Whether kVectors vectors of f64 from x on are all less than `bound` from zero: looked at before
/// they are widened.
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

/// x[i], or |x[i]|.
template <class T, bool kAbsolute>
class Numbers {
 public:
  using Sum = kernels::Superaccumulator;
  using Element = T;
  static constexpr bool kInPlace = !kAbsolute;  ///< terms lie in memory as they are
  /// More are dearer than the table of exponents.
  static constexpr std::size_t kMostWindows = kInPlace && sizeof(T) == 4 ? 3 : 6;
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
  /// Whether all of a group are less than `bound` from zero.
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

/// x[i] y[i]. Of f64 as the sum of two f64, which it is unless the error underflows: Dekker's
/// two-product with a fused multiply-add. Of f32 as one f64, which has room for it.
template <class T, bool kSquares>
class Products {
 public:
  using Sum = kernels::SquareAccumulator;
  static constexpr bool kInPlace = false;
  static constexpr std::size_t kMostWindows = 6;
  static constexpr std::size_t kStreams = sizeof(T) == 4 ? 1 : 2;
  static constexpr bool kCanUnderflow = sizeof(T) == 8;
  /// Large terms are known to be taken whole, instead of looking at what is left of each.
  static constexpr bool kJudgedBySize = true;
  static constexpr int kSignificantBits = sizeof(T) == 4 ? 48 : 53;
  static constexpr std::size_t kFewestWindows = 2;

  /// `ahead` is how far to prefetch.
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

/// Below this the error of a product may have bits below 2^-1074.
inline constexpr double kSmallestSafeProduct = 0x1p-959;
inline constexpr double kSmallestSafeFactor = 0x1p-479;  ///< of a square

/// Terms that vectors can take: smaller than `limit`, neither NaN nor too small for an exact error.
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

/// Adds by itself what `regular` left out of the vector at i, but for NaN and zeros.
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
