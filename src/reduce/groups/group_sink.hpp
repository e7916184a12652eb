// Merges the groups of the items of a pass, on the gather rank.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "reduce/groups/group_items.hpp"
#include "reduce/groups/group_keys.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/groups/run_merge.hpp"
#include "reduce/item_sink.hpp"
#include "reduce/run_file.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/group_order.hpp"

namespace tessera::reduce {

/// The progress of a reduction of groups; a checkpoint stores it.
struct GroupState {
  GroupItems items;              ///< of this pass
  KeyRange wanted;               ///< keys of this pass
  std::vector<PieceRange> left;  ///< by the items, to another pass for these keys
  bool is_decided = false;       ///< whether other passes follow `plan`
  PassPlan plan;                 ///< from this pass on
  std::size_t largest_run = 0;   ///< groups of the stored run that `plan` is made from
  double read_s = 0;             ///< to read an element, in processor time; 0 = not measured
  std::vector<PieceRange> rest;  ///< of the array, for these passes
  LeftOut left_out;
  std::int64_t bad_place = GroupResult::kNoPlace;
  std::vector<KeyRange> ranges;                 ///< of the columns of keys
  statistics::GroupKey first = 0;               ///< groups with smaller keys are in the table
  base::Bytes table;                            ///< its progress, see GroupTable
  std::vector<statistics::GroupPartials> runs;  ///< each sorted, larger ones first
  statistics::GroupOrder order;                 ///< empty but in passes for order statistics
  std::vector<StoredRun> stored_groups;
  std::vector<StoredRun> stored_members;  ///< of `order`
  RunFilePlace stored;                    ///< the end of these in their file
  std::int64_t earlier_items = 0;         ///< of the passes before this one

  static auto members(auto& self) {
    return std::tie(self.items, self.wanted, self.left, self.is_decided, self.plan,
                    self.largest_run, self.read_s, self.rest, self.left_out, self.bad_place,
                    self.ranges, self.first, self.table, self.runs, self.order, self.stored_groups,
                    self.stored_members, self.stored, self.earlier_items);
  }
};

class GroupSink : public ItemSink {
 public:
  /// `piece_bytes`: of the array, for checkpoints. `file`: for what is stored.
  GroupSink(const statistics::ReductionSpec& spec, const GroupRoom& room, std::int64_t piece_bytes,
            RunFile& file)
      : spec_(spec), room_(room), piece_bytes_(piece_bytes), file_(file) {}

  /// Resumes from a checkpoint. The file has gone on before.
  void go_on(const store::ReduceCheckpoint& found);
  /// Begins a pass over `items`, or goes on with the items of the checkpoint.
  void begin(std::int64_t pass, GroupItems items);

  /// After a pass with more groups than there is room for. Decides for which keys the next passes
  /// are.
  void plan_next(const PassCosts& costs);
  /// Continues with the keys of the next pass. Returns false if there are no others.
  bool next_keys();
  /// After the passes that count: what is in memory is one run; what is stored are so few that
  /// they can be merged group by group, and nothing is in memory. If `poll` throws meanwhile, the
  /// state is still right.
  void settle_groups(const std::function<void()>& poll);
  /// The same about the elements that were collected, after the passes of order statistics.
  void settle_members(const std::function<void()>& poll);
  const std::string& path() const { return file_.path(); }

  GroupState& state() { return state_; }
  const GroupState& state() const { return state_; }
  const GroupRoom& room() const { return room_; }

 private:
  void add(std::int64_t item, base::ByteReader& result) override;
  void make_room() override;
  void fill(store::ReduceCheckpoint& state) const override;
  void add_run(statistics::GroupPartials run);
  void merge_last();
  void store_groups();
  void store_members();

  statistics::ReductionSpec spec_;
  GroupRoom room_;
  std::int64_t piece_bytes_;
  RunFile& file_;
  GroupState state_;
  std::int64_t pass_ = 0;
  bool resumes_ = false;  ///< the next begin() resumes from a checkpoint
};

}  // namespace tessera::reduce
