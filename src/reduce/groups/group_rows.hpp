// Makes rows of the table from what the passes over the array have found about groups: from memory,
// or from the file with stored runs.
#pragma once

#include <functional>
#include <map>

#include "reduce/groups/counted_groups.hpp"
#include "reduce/groups/group_sink.hpp"
#include "reduce/groups/group_table.hpp"
#include "reduce/groups/group_work.hpp"

namespace tessera::reduce {

/// On the gather rank. If a member throws, the sink's state is what it was, so that a later run can
/// make the same rows.
class GroupRows {
 public:
  /// `poll` is called now and then, and may throw.
  GroupRows(const GroupTask& task, GroupSink& sink, GroupTable& table,
            const std::function<void()>& poll)
      : task_(task), sink_(sink), table_(table), poll_(poll) {}

  /// Finds the large groups, for order statistics, after all groups were counted.
  void find_large();
  /// Adds the groups up to `last` to the table, behind those that it has.
  void add(statistics::GroupKey last);

 private:
  /// Adds these groups, whose keys are at least `first`; `is_last`: no others follow. Returns the
  /// key from which the next ones begin.
  statistics::GroupKey add_some(const statistics::GroupPartials& groups, statistics::GroupKey first,
                                bool is_last, CollectedMembers& members);

  /// Of order statistics in large groups; null without.
  const std::map<statistics::GroupKey, statistics::OrderFindings>* findings() const {
    const Searching* const searching = sink_.state().searching();
    return searching == nullptr ? nullptr : &searching->order.findings;
  }

  const GroupTask& task_;
  GroupSink& sink_;
  GroupTable& table_;
  const std::function<void()>& poll_;
};

}  // namespace tessera::reduce
