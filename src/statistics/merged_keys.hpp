// The keys of several partial results of groups, in one order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "statistics/group_partials.hpp"

namespace tessera::statistics {

/// Where the groups of sorted lists are in the merged one.
struct MergedKeys {
  std::vector<GroupKey> keys;
  std::vector<std::vector<std::uint32_t>> positions;  ///< by list
};

/// The keys of each part are sorted.
MergedKeys merge_keys(std::span<const GroupPartials* const> parts);

}  // namespace tessera::statistics
