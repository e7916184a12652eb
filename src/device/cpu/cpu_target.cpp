#include "device/cpu/cpu_target.hpp"

#include "kernels/real/vector_sets.hpp"
//
#include <hwy/targets.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::device::cpu {
namespace {

template <std::int64_t kTarget>
CpuTarget target() {
  std::string name = hwy::TargetName(kTarget);
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return {.name = std::move(name),
          .pixels = pixel_set<kTarget>(),
          .sums = exact_sum_set<kTarget>(),
          .extremes = extremes_set<kTarget>(),
          .passes = pass_set<kTarget>(),
          .bins = bin_search_set<kTarget>(),
          .keys = key_pass_set<kTarget>(),
          .columns = column_sum_set<kTarget>(),
          .column_passes = column_pass_set<kTarget>(),
          .groups = group_terms_set<kTarget>()};
}

/// Targets are bits; in Highway, a lower bit is a better set.
template <std::size_t... kBit>
std::vector<CpuTarget> supported_targets(std::index_sequence<kBit...>) {
  // The sets that the compiler uses without dispatch are always supported.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  std::vector<CpuTarget> targets;
  const auto consider = [&]<std::int64_t kTarget>(std::integral_constant<std::int64_t, kTarget>) {
    if constexpr ((HWY_TARGETS & kTarget) != 0) {
      if ((supported & kTarget) != 0) targets.push_back(target<kTarget>());
    }
  };
  (consider(std::integral_constant<std::int64_t, std::int64_t{1} << kBit>()), ...);
  return targets;
}

}  // namespace

const std::vector<CpuTarget>& cpu_targets() {
  static const std::vector<CpuTarget> targets = supported_targets(std::make_index_sequence<63>());
  return targets;
}

}  // namespace tessera::device::cpu
