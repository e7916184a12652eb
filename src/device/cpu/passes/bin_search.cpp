// Guesses bins by a multiplication and checks them against the edges; compiled once per instruction
// set.
#include "device/cpu/passes/bin_search.hpp"

#include <algorithm>
#include <type_traits>

#include "device/cpu/simd/plain_arithmetic.hpp"
#include "kernels/real/vector_sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/passes/bin_search.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_HAVE_FLOAT64
#include "device/cpu/simd/simd_math-inl.hpp"
#endif

#ifndef TESSERA_DEVICE_CPU_BIN_SEARCH_ONCE
#define TESSERA_DEVICE_CPU_BIN_SEARCH_ONCE
namespace tessera::device::cpu {
inline std::uint32_t bin_or_count(double x, const statistics::HistogramBins& bins) {
  const std::size_t bin = bins.guess(x);
  return static_cast<std::uint32_t>(bin == statistics::HistogramBins::kOutside ? bins.count()
                                                                               : bin);
}
}  // namespace tessera::device::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

#if HWY_HAVE_FLOAT64

/// A guess is nearly always right. Edges are recomputed as HistogramBins computes them, because
/// gathering them from memory takes longer. If a lane of a vector is wrong, all its lanes are
/// searched one by one.
inline void search(const double* x, std::size_t count, const statistics::HistogramBins& bins,
                   std::uint32_t* found) {
  const hn::Rebind<std::int32_t, Reals> narrow;
  const hn::Rebind<std::uint32_t, Reals> unsigned_narrow;
  const double first = bins.edges().front(), end = bins.edges().back();
  const double width = (end - first) / static_cast<double>(bins.count());
  const Real low = hn::Set(Reals(), first), high = hn::Set(Reals(), end);
  const Real step = hn::Set(Reals(), width), one = hn::Set(Reals(), 1.0);
  const Real scale = hn::Set(Reals(), bins.bins_per_unit());
  const Real last = hn::Set(Reals(), static_cast<double>(bins.count() - 1));
  const Real outside = hn::Set(Reals(), static_cast<double>(bins.count()));
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Real any = hn::LoadU(Reals(), x + i);
    const Mask inside = hn::And(hn::Ge(any, low), hn::Le(any, high));
    const Real at = hn::IfThenElse(inside, any, low);
    const Real bin = hn::Trunc(hn::Min(hn::Mul(hn::Sub(at, low), scale), last));
    const Mask above = hn::Ge(at, hn::Add(hn::Mul(bin, step), low));
    const Mask below = hn::Lt(at, hn::Add(hn::Mul(hn::Add(bin, one), step), low));
    const Mask right = hn::And(above, hn::Or(below, hn::Ge(bin, last)));
    if (HWY_UNLIKELY(!hn::AllTrue(Reals(), right))) {
      for (std::size_t k = i; k < i + kLanes; ++k) found[k] = bin_or_count(x[k], bins);
      continue;
    }
    const auto answer = hn::DemoteTo(narrow, hn::IfThenElse(inside, bin, outside));
    hn::StoreU(hn::BitCast(unsigned_narrow, answer), unsigned_narrow, found + i);
  }
  for (; i < count; ++i) found[i] = bin_or_count(x[i], bins);
}

template <class T>
void find_bins(std::span<const T> x, const statistics::HistogramBins& bins, std::uint32_t* found) {
  const PlainArithmetic arithmetic;
  if constexpr (std::is_same_v<T, double>) {
    search(x.data(), x.size(), bins, found);
  } else {
    // crossed by: of_tables_of_bins
    constexpr std::size_t kAtOnce = 512;
    double reals[kAtOnce];
    for (std::size_t first = 0; first < x.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, x.size() - first);
      for (std::size_t i = 0; i < count; ++i) reals[i] = static_cast<double>(x[first + i]);
      search(reals, count, bins, found + first);
    }
  }
}

#else

template <class T>
void find_bins(std::span<const T> x, const statistics::HistogramBins& bins, std::uint32_t* found) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    found[i] = bin_or_count(static_cast<double>(x[i]), bins);
  }
}

#endif

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace tessera::device::cpu {
template <>
BinSearchSet bin_search_set<HWY_TARGET>() {
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)
  return {{&find_bins<std::int16_t>, &find_bins<std::int32_t>, &find_bins<std::int64_t>,
           &find_bins<std::uint16_t>, &find_bins<std::uint32_t>, &find_bins<std::uint64_t>,
           &find_bins<float>, &find_bins<double>}};
}
}  // namespace tessera::device::cpu
