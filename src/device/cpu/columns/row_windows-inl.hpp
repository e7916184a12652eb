// Passes stretches of rows, or strips of columns, through windows in registers. The few terms that
// the windows do not take are collected.
#if defined(TESSERA_DEVICE_CPU_COLUMNS_ROW_WINDOWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_COLUMNS_ROW_WINDOWS_INL
#undef TESSERA_DEVICE_CPU_COLUMNS_ROW_WINDOWS_INL
#else
#define TESSERA_DEVICE_CPU_COLUMNS_ROW_WINDOWS_INL
#endif

#include <cstring>

#include "device/cpu/columns/column_windows-inl.hpp"
#include "device/cpu/columns/row_residuals-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Loads the first `count` elements, fewer than a vector has, followed by zeros.
template <class T>
HWY_INLINE Real load_first(const T* x, std::size_t count) {
#if HWY_TARGET <= HWY_AVX2
  const hn::Rebind<T, Reals> d;
  const auto some = hn::MaskedLoad(hn::FirstN(d, count), d, x);
  if constexpr (sizeof(T) == 4) {
    return hn::PromoteTo(Reals(), some);
  } else {
    return some;
  }
#else
  HWY_ALIGN T some[kLanes] = {};
  std::memcpy(some, x, count * sizeof(T));
  return load_reals(some);
#endif
}

/// kWindows consecutive windows in registers, kChains vectors of each: of a row, or of kChains
/// vectors of columns.
template <class Source, std::size_t kWindows, std::size_t kChains, bool kMasked>
class RowWindows {
 public:
  using T = typename Source::Element;
  static constexpr std::size_t kStep = kChains * kLanes;

  /// Empty windows; `highest` is the exponent of the first one.
  HWY_INLINE explicit RowWindows(int highest) {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      const Real start = start_of(highest - static_cast<int>(k) * ColumnBlock::kStepBits);
      starts_[k] = hn::BitCast(Bits(), start);
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { sums_[k][c] = start; });
    });
    set_limit(highest);
  }

  /// Loads the windows of columns, from the usual window on.
  HWY_INLINE RowWindows(const ColumnBlock& block, std::size_t column) {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      starts_[k] = hn::BitCast(Bits(), start_of(block.exponents[block.usual + k]));
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        sums_[k][c] = hn::LoadU(Reals(), block.window(block.usual + k) + column + c * kLanes);
      });
    });
    set_limit(block.exponents[block.usual]);
  }

  /// Adds some rows of kChains vectors of columns; rows are `stride` apart. `ahead`: prefetch
  /// distance. False if these windows cannot take them.
  HWY_INLINE bool take_strip(const T* x, std::size_t stride, std::size_t rows, std::size_t ahead,
                             StripResiduals* residuals) {
    const auto but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
    const auto binade = hn::Set(Bits(), 0xfff0000000000000);
    auto any_left = hn::Zero(Bits());
    for (std::size_t r = 0; r < rows; ++r, x += stride) {
      auto left = hn::Zero(Bits());
      Real element[kChains], rest[kChains], low[kChains];
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        const T* const at = x + c * kLanes;
        // Prefetches into L2: if the row distance is a power of two, L1 can hold only a few of
        // these lines.
        __builtin_prefetch(at + ahead, 0, 2);
        element[c] = load_reals(at);
      });
      if constexpr (kMasked) {
        defer_outliers(element, [&](Real from, Mask which, std::size_t c) TESSERA_INLINE_LAMBDA {
          residuals->push_outliers(from, which, c * kLanes);
        });
      }
      each<kChains>(
          [&](auto c) TESSERA_INLINE_LAMBDA { take_vector(c, element[c], rest[c], low[c], left); });
      if constexpr (!kMasked) {
        any_left = hn::Or(any_left, left);
      } else {
        if (HWY_UNLIKELY(!nothing(left))) {
          each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
            residuals->push(rest[c], c * kLanes);
            if constexpr (Source::kHasError) residuals->push(low[c], c * kLanes);
          });
        }
        if (HWY_UNLIKELY(residuals->is_full())) return false;
      }
    }
    const auto wrong = hn::Or(hn::Or(hn::And(moved_, binade), hn::And(any_left, but_sign)), lost_);
    return hn::AllTrue(Bits(), hn::Eq(wrong, hn::Zero(Bits())));
  }

  /// Stores the windows of columns where they were loaded.
  HWY_INLINE void store(ColumnBlock& block, std::size_t column) const {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        hn::StoreU(sums_[k][c], Reals(), block.window(block.usual + k) + column + c * kLanes);
      });
    });
  }

  /// Adds up to kMostTerms terms per lane. False if these windows cannot take them.
  HWY_INLINE bool take(const T* x, std::size_t count, RowResiduals& residuals) {
    std::size_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      auto left = hn::Zero(Bits());
      Real element[kChains], rest[kChains], low[kChains];
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        const T* const at = x + i + c * kLanes;
        __builtin_prefetch(at + kPrefetchBytes / sizeof(T));
        element[c] = load_reals(at);
      });
      if constexpr (kMasked) defer_outliers(element, residuals);
      each<kChains>(
          [&](auto c) TESSERA_INLINE_LAMBDA { take_vector(c, element[c], rest[c], low[c], left); });
      if (HWY_UNLIKELY(!nothing(left))) {
        each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA { keep(rest[c], low[c], residuals); });
      }
      if (HWY_UNLIKELY(residuals.is_full())) return false;
    }
    for (; i < count; i += kLanes) {
      auto left = hn::Zero(Bits());
      Real element[] = {i + kLanes <= count ? load_reals(x + i) : load_first(x + i, count - i)};
      if constexpr (kMasked) defer_outliers(element, residuals);
      Real rest, low;
      take_vector(std::integral_constant<std::size_t, 0>(), element[0], rest, low, left);
      if (HWY_UNLIKELY(!nothing(left))) keep(rest, low, residuals);
    }
    const auto binade = hn::Set(Bits(), 0xfff0000000000000);
    const auto wrong = hn::Or(hn::And(moved_, binade), lost_);
    return hn::AllTrue(Bits(), hn::Eq(wrong, hn::Zero(Bits()))) && !residuals.is_full();
  }

  /// As take(), for a short row. If the result, without its signs, is not 0, a part of the row has
  /// not been taken.
  HWY_INLINE BitsOfReal take_whole(const T* x, std::size_t count) {
    auto left = hn::Zero(Bits());
    Real rest, low;
    constexpr std::integral_constant<std::size_t, 0> kChain;
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      take_vector(kChain, load_reals(x + i), rest, low, left);
    }
    if (i < count) take_vector(kChain, load_first(x + i, count - i), rest, low, left);
    const auto but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
    const auto binade = hn::Set(Bits(), 0xfff0000000000000);
    return hn::Or(hn::Or(hn::And(left, but_sign), hn::And(moved_, binade)), lost_);
  }

  /// Stores the units of each window per lane, `step` apart from window to window.
  HWY_INLINE void store_units(std::size_t step, std::int64_t* units) const {
    const hn::RebindToSigned<Reals> d;
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA {
      auto sum = hn::Zero(d);
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        sum = hn::Add(sum, hn::Sub(hn::BitCast(d, sums_[k][c]), hn::BitCast(d, starts_[k])));
      });
      hn::Store(sum, d, units + k * step);
    });
  }

 private:
  HWY_INLINE void set_limit(int highest) {
    const int room = highest - ColumnBlock::kRoomBits;
    const int limit = Source::kKind == Terms::squares ? (room + 1022) / 2 - 511 : room;
    limit_ = hn::Set(Reals(), power_of_two(limit));
    moved_ = lost_ = hn::Zero(Bits());
  }

  static HWY_INLINE bool nothing(BitsOfReal left) {
    const auto but_sign = hn::Set(Bits(), ~std::uint64_t{0} >> 1);
    return hn::AllTrue(Bits(), hn::Eq(hn::And(left, but_sign), hn::Zero(Bits())));
  }

  /// Replaces elements that are too large, or NaN, by zeros and calls push(vector, mask, index of
  /// the vector) for them.
  template <std::size_t kVectors, class Push>
  HWY_INLINE void defer_outliers(Real (&element)[kVectors], const Push& push) const {
    Mask below = hn::Lt(hn::Abs(element[0]), limit_);
    each<kVectors - 1>([&](auto c) TESSERA_INLINE_LAMBDA {
      below = hn::And(below, hn::Lt(hn::Abs(element[c + 1]), limit_));
    });
    if (HWY_LIKELY(hn::AllTrue(Reals(), below))) return;
    each<kVectors>([&](auto c) TESSERA_INLINE_LAMBDA {
      const Mask some = hn::Lt(hn::Abs(element[c]), limit_);
      push(element[c], hn::Not(some), c);
      element[c] = hn::IfThenElseZero(some, element[c]);
    });
  }
  template <std::size_t kVectors>
  HWY_INLINE void defer_outliers(Real (&element)[kVectors], RowResiduals& residuals) const {
    defer_outliers(element, [&](Real from, Mask which, std::size_t)
                                TESSERA_INLINE_LAMBDA { residuals.push_outliers(from, which); });
  }

  template <class Chain>
  HWY_INLINE void take_vector(Chain c, Real element, Real& rest, Real& low, BitsOfReal& left) {
    rest = Source::of(element);
    if constexpr (Source::kHasError) {
      const Mask tiny = hn::Lt(rest, hn::Set(Reals(), kSmallestSafeProduct));
      lost_ = hn::Or(lost_, hn::BitCast(Bits(), hn::Abs(hn::IfThenElseZero(tiny, element))));
      low = through<1>(c, Source::error(element, rest));
      left = hn::Or(left, hn::BitCast(Bits(), low));
    }
    rest = through<0>(c, rest);
    left = hn::Or(left, hn::BitCast(Bits(), rest));
  }

  /// What the windows from kFirst on leave of a term.
  template <std::size_t kFirst, class Chain>
  HWY_INLINE Real through(Chain c, Real term) {
    each<kWindows - kFirst>([&](auto window) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kNow = kFirst + window;
      const Real next = hn::Add(sums_[kNow][c], term);
      term = hn::Sub(term, subtract(next, sums_[kNow][c]));
      sums_[kNow][c] = next;
      if constexpr (kNow == 0) {
        moved_ = hn::Or(moved_, hn::Xor(hn::BitCast(Bits(), next), starts_[0]));
      }
    });
    return term;
  }

  HWY_INLINE void keep(Real rest, Real low, RowResiduals& residuals) const {
    residuals.push(rest);
    if constexpr (Source::kHasError) residuals.push(low);
  }

  Real sums_[kWindows][kChains];
  BitsOfReal starts_[kWindows];
  BitsOfReal moved_;  ///< bits in which sums of the first window differ from its start
  BitsOfReal lost_;   ///< elements whose square has an error that f64 cannot hold
  Real limit_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
