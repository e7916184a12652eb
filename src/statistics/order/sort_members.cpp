#include "statistics/order/sort_members.hpp"

#include "base/radix_sort.hpp"

namespace tessera::statistics {

void sort_members(std::vector<GroupMember>& members) {
  base::radix_sort(members, &GroupMember::group);
}

}  // namespace tessera::statistics
