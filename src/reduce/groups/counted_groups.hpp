// Findings of the passes over the array about groups, group by group: from memory, or from the
// file with stored runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "reduce/groups/group_sink.hpp"
#include "reduce/groups/run_merge.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::reduce {

/// The groups with keys from `first` on, after GroupSink::settle_groups().
class CountedGroups {
 public:
  CountedGroups(const GroupSink& sink, const statistics::ReductionSpec& spec,
                statistics::GroupKey first);

  /// Some more, with keys up to `last`, until the next call; null if there are no others.
  const statistics::GroupPartials* next(statistics::GroupKey last);
  /// Whether no groups are left.
  bool done() const;

 private:
  const statistics::GroupPartials* all_ = nullptr;  ///< in memory
  std::size_t at_ = 0;
  std::optional<statistics::GroupPartials> some_;
  std::optional<RunMerge<GroupRecords>> stored_;
};

/// The elements of groups with keys from `first` on that were collected, after
/// GroupSink::settle_members().
class CollectedMembers {
 public:
  CollectedMembers(const GroupSink& sink, statistics::GroupKey first);

  /// Those of groups with keys up to `last`, sorted by group; also others if they are in memory
  /// anyway. Larger ones with each call.
  std::span<const statistics::GroupMember> up_to(statistics::GroupKey last);
  /// How many groups from `first` on should be asked for together. Those that are in memory already
  /// are no reason for fewer.
  std::size_t some_of(const statistics::GroupPartials& groups, std::size_t first) const;

 private:
  std::span<const statistics::GroupMember> all_;
  std::size_t most_ = 0;
  std::optional<RunMerge<MemberRecords>> stored_;
  MemberRecords::Records some_;
};

}  // namespace tessera::reduce
