// Which of the instruction sets that a file was compiled for this machine can run.
#pragma once

#include "device/cpu/simd/vector_sets.hpp"
//
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::device::cpu {

/// One of Highway's HWY_AVX2 and so on.
template <std::int64_t kTarget>
using TargetBit = std::integral_constant<std::int64_t, kTarget>;

/// make(TargetBit) for those of this build that this machine can run, best first; the last one runs
/// everywhere. Highway's bits are in order: the lower, the better.
template <class Set, class Make>
std::vector<Set> pick_sets(const Make& make) {
  // What the compiler may use anyway runs everywhere.
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

}  // namespace tessera::device::cpu
