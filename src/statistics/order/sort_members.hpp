// Elements with their groups, and how they are sorted.
#pragma once

#include <cstdint>
#include <vector>

#include "statistics/group_partials.hpp"
#include "statistics/order/element_key.hpp"

namespace tessera::statistics {

/// An element of a group.
struct GroupMember {
  GroupKey group = 0;
  std::int64_t place = 0;  ///< in the array, in C order
  ElementKey key = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): false
  friend auto operator<=>(const GroupMember&, const GroupMember&) = default;
};

/// By group. Those of a group stay in their order.
void sort_members(std::vector<GroupMember>& members);

}  // namespace tessera::statistics
