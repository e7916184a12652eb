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
  volatile double keep = (hn::GetLane(hn::SumOfLanes(d, chain[kIndex])) + ...);
  static_cast<void>(keep);
  return rounds * kChains * hn::Lanes(d);
}

std::uint64_t run_fma(std::uint64_t rounds) {
  return run_chains(rounds, std::make_index_sequence<kChains>());
}

constexpr std::size_t kOrbits = HWY_MAX_BYTES >= 64 ? 6 : 4;

template <std::size_t... kIndex>
std::uint64_t run_orbits(std::uint64_t rounds, std::index_sequence<kIndex...>) {
  const hn::ScalableTag<double> d;
  const auto c_re = hn::Set(d, -0.1);
  const auto c_im = hn::Set(d, 0.1);
  hn::Vec<decltype(d)> x[] = {hn::Set(d, 0.01 * static_cast<double>(kIndex))...};
  hn::Vec<decltype(d)> y[] = {hn::Set(d, 0.02 * static_cast<double>(kIndex))...};
  const auto step = [&](auto& u, auto& v) {
    const auto t = hn::NegMulAdd(v, v, c_re);
    v = hn::MulAdd(hn::Add(u, u), v, c_im);
    u = hn::MulAdd(u, u, t);
  };
  for (std::uint64_t round = 0; round < rounds; ++round) (step(x[kIndex], y[kIndex]), ...);
  volatile double keep = (hn::GetLane(hn::SumOfLanes(d, hn::Add(x[kIndex], y[kIndex]))) + ...);
  static_cast<void>(keep);
  return rounds * kOrbits * hn::Lanes(d);
}

std::uint64_t run_steps(std::uint64_t rounds) {
  return run_orbits(rounds, std::make_index_sequence<kOrbits>());
}

}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {
HWY_EXPORT(run_fma);
HWY_EXPORT(run_steps);
std::uint64_t run_fma(std::uint64_t rounds) {
  return HWY_DYNAMIC_DISPATCH(run_fma)(rounds);
}
std::uint64_t run_steps(std::uint64_t rounds) {
  return HWY_DYNAMIC_DISPATCH(run_steps)(rounds);
}
}  // namespace tessera::bench
#endif
