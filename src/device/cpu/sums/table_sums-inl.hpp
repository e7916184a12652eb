// Sums any source of terms with the exponent table.
#if defined(TESSERA_DEVICE_CPU_SUMS_TABLE_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_TABLE_SUMS_INL
#undef TESSERA_DEVICE_CPU_SUMS_TABLE_SUMS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_TABLE_SUMS_INL
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "device/cpu/sums/exponent_table-inl.hpp"
#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// With fewer registers, windows are not faster than the table.
inline constexpr bool kSinglesInWindows = HWY_TARGET <= HWY_AVX3;

/// Windows that hold every f32. Seven vectors are in flight, each in another window, so that no
/// addition waits for the one before it.
class SingleWindows {
 public:
  HWY_INLINE SingleWindows() : windows_(kFirst) {
    each<kWindows>([&](auto k) TESSERA_INLINE_LAMBDA { rest_[k] = hn::Zero(Reals()); });
  }
  /// Called at most kBlockTerms / kLanes times, with one vector each time.
  HWY_INLINE void add(Real terms) {
    rest_[0] = terms;
    each<kWindows>([&](auto step) TESSERA_INLINE_LAMBDA {
      constexpr std::size_t kNow = kWindows - 1 - step;
      const Real part = windows_.take(0, kNow, 0, rest_[kNow]);
      if constexpr (kNow + 1 < kWindows) rest_[kNow + 1] = hn::Sub(rest_[kNow], part);
    });
  }
  /// Returns false, with nothing added, if a term was not finite.
  template <class Sum>
  HWY_INLINE bool give(Sum& to) {
    each<kWindows - 1>([&](auto) TESSERA_INLINE_LAMBDA { add(hn::Zero(Reals())); });
    const Real infinity = hn::Set(Reals(), std::numeric_limits<double>::infinity());
    if (!hn::AllTrue(Reals(), hn::Lt(hn::Abs(windows_.sum[0][0][0]), infinity))) return false;
    windows_.give(kFirst, to);
    return true;
  }

 private:
  static constexpr std::size_t kWindows = 7;
  using Singles = Windows<Numbers<float, false>, kWindows, 1>;
  static constexpr int kFirst = Singles::first_window(128);
  static_assert(Singles::lowest_whole(128) - 23 <= -149 || !kSinglesInWindows);

  Singles windows_;
  Real rest_[kWindows];  ///< input of each window at the next step
};

/// Reads the terms directly from memory if they are stored there; otherwise computes the f64 of
/// each stream first.
template <class Source>
struct TableSums {
  static constexpr bool kSingles = Source::kInPlace && Source::kSignificantBits == 24;
  using Table = ExponentTable<std::conditional_t<kSingles, float, double>>;
  static constexpr std::size_t kGroup = Table::kGroup;
  Table table;

  void add(const Source& source, Block block, typename Source::Sum& to) {
    if constexpr (kSingles && kSinglesInWindows) return add_both_ways(source, block, to);
    constexpr std::size_t kMax = Table::kMaxTerms / Source::kStreams;
    static_assert(kMax % kLanes == 0);
    for (std::size_t at = block.first; at < block.end; at += kMax) {
      const Block part{at, std::min(at + kMax, block.end)};
      if constexpr (Source::kInPlace) {
        add_in_place(source, part, to);
      } else {
        add_computed(source, part, to);
      }
    }
  }

 private:
  void add_in_place(const Source& source, Block part, typename Source::Sum& to) {
    const auto* const terms = source.terms() + part.first;
    const std::size_t count = part.end - part.first;
    constexpr std::size_t kAhead = kPrefetchBytes / sizeof(*terms);
    if (table.add(terms, count, kAhead)) add_others(source, part, to);
  }

  /// Half of the terms pass through windows that hold every f32: the table is limited by memory and
  /// windows by additions, so the two overlap.
  HWY_NOINLINE void add_both_ways(const Source& source, Block block, typename Source::Sum& to) {
    const float* const terms = source.terms() + block.first;
    const std::size_t count = block.end - block.first;
    SingleWindows windows;
    bool others = table.template add_last<2 * kGroup>(
        terms, count, kPrefetchBytes / sizeof(float), [&](std::size_t i) TESSERA_INLINE_LAMBDA {
          for (std::size_t v = 0; v < kGroup; v += kLanes) windows.add(load_reals(terms + i + v));
        });
    if (!windows.give(to)) {
      others = true;
      for (std::size_t i = 0; i < count; i += 2 * kGroup) table.add(terms + i, kGroup, 0);
    }
    if (others) add_others(source, block, to);
  }

  /// Adds infinities and NaN.
  HWY_NOINLINE void add_others(const Source& source, Block part, typename Source::Sum& to) {
    for (std::size_t i = part.first; i < part.end; ++i) {
      if (!std::isfinite(source.terms()[i])) source.add_one(i, to);
    }
  }

  /// Irregular terms are added individually.
  HWY_NOINLINE void add_computed(const Source& source, Block part, typename Source::Sum& to) {
    HWY_ALIGN double terms[Table::kMaxTerms + 2 * kLanes];
    const Real infinity = hn::Set(Reals(), std::numeric_limits<double>::infinity());
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.end; i += kLanes) {
      source.prefetch(i);
      const Real high = source.high(i);
      const Mask keep = regular<Source>(high, infinity);
      if (!hn::AllTrue(Reals(), keep)) {
        count_nans(source, i, to);
        add_irregular(source, i, infinity, to);
      }
      each<Source::kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
        const Real term = s == 0 ? high : source.low(i, high);
        hn::Store(hn::IfThenElseZero(keep, term), Reals(), terms + count);
        count += kLanes;
      });
    }
    table.add(terms, count, 0);
  }
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
