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

#include "device/cpu/sums/exponent_table-inl.hpp"
#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Reads the terms directly from memory if they are stored there; otherwise computes the f64 of
/// each stream first.
template <class Source>
struct TableSums {
  ExponentTable table;

  void add(const Source& source, Block block, typename Source::Sum& to) {
    constexpr std::size_t kMost = ExponentTable::kMostTerms / Source::kStreams;
    static_assert(kMost % kLanes == 0);
    for (std::size_t at = block.first; at < block.end; at += kMost) {
      const Block part{at, std::min(at + kMost, block.end)};
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
    if (!table.add(terms, count, kAhead)) return;
    for (std::size_t i = part.first; i < part.end; ++i) {
      if (!std::isfinite(source.terms()[i])) source.add_one(i, to);
    }
  }

  /// Irregular terms are added individually.
  HWY_NOINLINE void add_computed(const Source& source, Block part, typename Source::Sum& to) {
    HWY_ALIGN double terms[ExponentTable::kMostTerms + 2 * kLanes];
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
