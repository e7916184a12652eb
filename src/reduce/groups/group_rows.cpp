#include "reduce/groups/group_rows.hpp"

#include <utility>
#include <vector>

namespace tessera::reduce {

using statistics::GroupKey;
using statistics::GroupPartials;

void GroupRows::find_large() {
  GroupState& state = sink_.state();
  statistics::GroupOrder order;
  std::vector<GroupPartials> large;
  CountedGroups groups(sink_, task_.group_spec.spec, state.first);
  while (const GroupPartials* some = groups.next(statistics::kLastKey)) {
    poll_();
    order.add_counted(*some, large);
  }
  std::vector<const GroupPartials*> parts;
  for (const GroupPartials& part : large) parts.push_back(&part);
  order.large = statistics::merged(task_.group_spec.spec, parts);
  state.phase = Searching{.order = std::move(order)};
}

void GroupRows::add(GroupKey last) {
  GroupState& state = sink_.state();
  const bool is_last = last == task_.keys->range().last;
  CountedGroups groups(sink_, task_.group_spec.spec, state.first);
  CollectedMembers members(sink_, state.first);
  GroupKey first = state.first;
  for (bool end = false; !end;) {
    poll_();
    const GroupPartials* some = groups.next(last);
    end = some == nullptr || groups.done();
    if (some != nullptr) first = add_some(*some, first, end && is_last, members);
    if (some == nullptr && is_last) {
      table_.add({}, {first, last}, true, {{}, findings()}, poll_);
    }
  }
  if (!is_last) state.first = last + 1;
}

GroupKey GroupRows::add_some(const GroupPartials& groups, GroupKey from, bool is_last,
                             CollectedMembers& members) {
  for (std::size_t first = 0, end = 0; first < groups.size(); first = end) {
    end = first + members.some_of(groups, first);
    const bool all = first == 0 && end == groups.size();
    const GroupPartials part = all ? GroupPartials() : groups.part(first, end);
    const bool ends = is_last && end == groups.size();
    const GroupKey last = ends ? task_.keys->range().last : groups.keys[end - 1];
    table_.add(all ? groups : part, {from, last}, ends, {members.up_to(last), findings()}, poll_);
    from = last + 1;
  }
  return from;
}

}  // namespace tessera::reduce
