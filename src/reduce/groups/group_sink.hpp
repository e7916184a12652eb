// Merges the groups of the items of a pass, on the gather rank.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "reduce/groups/group_state.hpp"
#include "reduce/groups/run_merge.hpp"
#include "reduce/item_sink.hpp"
#include "reduce/run_file.hpp"

namespace tessera::reduce {

class GroupSink : public ItemSink {
 public:
  /// `piece_bytes`: of the array, for checkpoints. `file`: for what is stored.
  GroupSink(const statistics::ReductionSpec& spec, const GroupLimits& room,
            std::int64_t piece_bytes, RunFile& file)
      : spec_(spec), room_(room), piece_bytes_(piece_bytes), file_(file) {}

  /// Resumes from a checkpoint. The file has gone on before.
  void resume(const store::ReduceCheckpoint& found);
  /// Begins a pass over `items`, or goes on with the items of the checkpoint.
  void begin(std::int64_t pass, GroupItems items);

  /// After a pass with more groups than there is room for. Decides for which keys the next passes
  /// are.
  void plan_next(Counting& counting, const PassCosts& costs);
  /// Continues with the keys of the next pass. Returns false if there are no others.
  bool next_keys(Counting& counting);
  /// After the passes that count: what is in memory is one run; what is stored are so few that they
  /// can be merged group by group, and nothing is in memory. If `poll` throws meanwhile, the state
  /// is still right.
  void settle_groups(const std::function<void()>& poll);
  /// The same about the elements that were collected, after the passes of order statistics.
  void settle_members(Searching& searching, const std::function<void()>& poll);
  const std::string& path() const { return file_.path(); }

  GroupState& state() { return state_; }
  const GroupState& state() const { return state_; }
  const GroupLimits& room() const { return room_; }

 private:
  void add(std::int64_t item, base::ByteReader& result) override;
  void make_room() override;
  void fill(store::ReduceCheckpoint& state) const override;
  void add_found(Searching& searching, statistics::GroupTally tally);
  void add_run(statistics::GroupPartials run);
  void merge_last();
  void store_groups();
  void store_members(Searching& searching);

  statistics::ReductionSpec spec_;
  GroupLimits room_;
  std::int64_t piece_bytes_;
  RunFile& file_;
  GroupState state_;
  std::int64_t pass_ = 0;
  bool resumes_ = false;  ///< the next begin() resumes from a checkpoint
};

}  // namespace tessera::reduce
