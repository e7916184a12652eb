#include "fma_peak.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kChains = 12;  // more than latency times pipes of any current core

template <std::size_t... kIndex>
std::uint64_t run_chains(std::uint64_t rounds, std::index_sequence<kIndex...>) {
  const hn::ScalableTag<double> d;
  const auto factor = hn::Set(d, 0.5);
  hn::Vec<decltype(d)> chain[] = {hn::Set(d, 1.0 + static_cast<double>(kIndex))...};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    ((chain[kIndex] = hn::MulAdd(chain[kIndex], factor, factor)), ...);
  }
  volatile double keep = hn::GetLane((hn::SumOfLanes(d, chain[kIndex]) + ...));
  static_cast<void>(keep);
  return rounds * kChains * hn::Lanes(d);
}

std::uint64_t run_fma(std::uint64_t rounds) {
  return run_chains(rounds, std::make_index_sequence<kChains>());
}

}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {
HWY_EXPORT(run_fma);
std::uint64_t run_fma(std::uint64_t rounds) {
  return HWY_DYNAMIC_DISPATCH(run_fma)(rounds);
}
}  // namespace tessera::bench
#endif
