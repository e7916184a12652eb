// Selects the compiled instruction sets that this machine supports, and one of them by its name.
#pragma once

#include "kernels/real/vector_sets.hpp"
//
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::device::cpu {

/// One of Highway's target bits: HWY_AVX2, ...
template <std::int64_t kTarget>
using TargetBit = std::integral_constant<std::int64_t, kTarget>;

/// make(TargetBit) for each instruction set of this build that this machine supports, best first.
/// The last one runs everywhere. In Highway, a lower bit is a better set.
template <class Set, class Make>
std::vector<Set> pick_sets(const Make& make) {
  // The sets that the compiler uses without dispatch are always supported.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  std::vector<Set> sets;
  const auto consider = [&]<std::size_t kBit>(std::integral_constant<std::size_t, kBit>) {
    constexpr std::int64_t kTarget = std::int64_t{1} << kBit;
    if constexpr ((HWY_TARGETS & kTarget) != 0) {
      if ((supported & kTarget) != 0) sets.push_back(make(TargetBit<kTarget>()));
    }
  };
  [&]<std::size_t... kBit>(std::index_sequence<kBit...>) {
    (consider(std::integral_constant<std::size_t, kBit>()), ...);
  }
  (std::make_index_sequence<63>());
  return sets;
}

/// The set with that name, otherwise the last one, which runs everywhere.
template <class Set>
Set find_set(const std::vector<Set>& sets, std::string_view name) {
  const auto set = std::ranges::find(sets, name, &Set::name);
  return set != sets.end() ? *set : sets.back();
}

}  // namespace tessera::device::cpu
