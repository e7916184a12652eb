// Whether an array with more groups than memory holds is read once, and groups are stored, or
// several times, each time for some of the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "statistics/group_partials.hpp"

namespace tessera::reduce {

/// The capacity of a pass, in each lane and on the gather rank.
struct PassLimits {
  std::size_t groups = 0;        ///< groups of any keys
  std::size_t keys = 0;          ///< keys of a dense range, whether they appear or not
  std::int64_t elements = 0;     ///< elements of the array
  std::uint64_t bytes_each = 1;  ///< bytes of a group without accumulators
};

/// The costs of a pass over the rest of the array.
struct PassCosts {
  double read_s = 0;      ///< to read an element, in processor time; 0 = not known
  int lanes = 1;          ///< that read at the same time
  double disk_bytes = 0;  ///< free, for stored groups
};

/// Passes that each have room for their groups.
struct PassPlan {
  std::vector<statistics::GroupKey> ends;  ///< the last keys of all passes but the last one
  // The costs of a single pass.
  /// Groups that it would store for each element; one with accumulators counts as all those that
  /// would fit into its memory.
  double stored_each = 0;
  double stored_bytes = 0;  ///< by which it would need about as much disk

  /// Whether a single pass is faster, and the disk large enough.
  bool is_slower_than_storing(const PassCosts& costs) const;
  static auto members(auto& self) {
    return std::tie(self.ends, self.stored_each, self.stored_bytes);
  }
};

/// `some`: the groups of the elements that were reduced so far, sorted; `disk_bytes`: that they
/// take when they are stored. No ends if there would be too many of them.
PassPlan plan_passes(const statistics::GroupPartials& some, const PassLimits& room,
                     std::uint64_t disk_bytes);

}  // namespace tessera::reduce
