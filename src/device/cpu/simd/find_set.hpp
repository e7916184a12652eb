// Finds the functions of one instruction set by its name.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace tessera::device::cpu {

/// The set with that name, otherwise the last one, which runs everywhere.
template <class Set>
Set find_set(const std::vector<Set>& sets, std::string_view name) {
  const auto set = std::ranges::find(sets, name, &Set::name);
  return set != sets.end() ? *set : sets.back();
}

}  // namespace tessera::device::cpu
