// Which rank stores an item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::farm {

/// The results of a farm may be stored in several parts, each by one rank. Usually there is one
/// part, which the gather rank stores.
struct Parts {
  std::vector<int> ranks = {0};                             ///< that store each part
  std::function<std::size_t(std::int64_t item)> of_item{};  ///< null if there is one part

  std::size_t count() const { return ranks.size(); }
  std::size_t part_of(std::int64_t item) const { return of_item ? of_item(item) : 0; }
  int rank_of(std::int64_t item) const { return ranks[part_of(item)]; }
  bool has(int rank) const { return std::ranges::find(ranks, rank) != ranks.end(); }
};

}  // namespace tessera::farm
