// Merges the groups of the items of a pass, on the gather rank.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "reduce/groups/group_keys.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/item_sink.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/group_order.hpp"

namespace tessera::reduce {

/// The progress of a reduction of groups; a checkpoint stores it.
struct GroupState {
  statistics::GroupKey first = 0;  ///< groups with smaller keys were finished by earlier passes
  LeftOut left_out;
  std::int64_t bad_place = GroupResult::kNoPlace;
  std::vector<KeyRange> ranges;                 ///< of the columns of keys
  base::Bytes table;                            ///< what the earlier passes made, see GroupTable
  std::vector<statistics::GroupPartials> runs;  ///< each sorted, larger ones first
  statistics::GroupOrder order;                 ///< empty but between passes for order statistics
  std::int64_t earlier_items = 0;               ///< of the passes before this one

  static auto members(auto& self) {
    return std::tie(self.first, self.left_out, self.bad_place, self.ranges, self.table, self.runs,
                    self.order, self.earlier_items);
  }
};

class GroupSink : public ItemSink {
 public:
  /// Holds at most `most_groups`: those with the smallest keys.
  GroupSink(const statistics::ReductionSpec& spec, std::size_t most_groups)
      : spec_(spec), most_groups_(most_groups) {}

  /// Begins a pass over the items with the groups from state().first on.
  void begin(std::int64_t pass, const SliceGrid& grid);
  /// Resumes from a checkpoint.
  void go_on(const store::ReduceCheckpoint& found);
  std::int64_t pass() const { return pass_; }
  /// All groups up to `last` of the result.
  statistics::GroupPartials take();
  GroupState& state() { return state_; }
  const GroupState& state() const { return state_; }

 private:
  void add(std::int64_t item, base::ByteReader& result) override;
  void fill(store::ReduceCheckpoint& state) const override;
  void merge_last();

  statistics::ReductionSpec spec_;
  std::size_t most_groups_;
  GroupState state_;
  std::int64_t pass_ = 0;
  std::int64_t pieces_each_ = 0;
  bool resumes_ = false;  ///< the next begin() resumes from a checkpoint
};

}  // namespace tessera::reduce
