// What the gather rank does between the passes of a reduction of groups: says what the next pass is
// for, and makes rows of the groups about which the passes know everything.
#pragma once

#include <cstdint>
#include <functional>

#include "reduce/groups/group_files.hpp"
#include "reduce/groups/group_rows.hpp"
#include "reduce/groups/group_sink.hpp"
#include "reduce/groups/group_table.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/session.hpp"

namespace tessera::reduce {

class GroupGathering {
 public:
  /// Resumes from the checkpoint, if the session does. `lanes`: of this rank; `all_lanes`: of all.
  GroupGathering(const GroupTask& task, Session& session, GroupFiles& files,
                 std::int64_t piece_bytes, int lanes, int all_lanes, TableSink* sink);

  /// Begins pass `number`; its items and its request are in the state.
  void begin_pass(std::int64_t number);
  /// Whether another pass follows `pass`. Otherwise the table has all rows.
  bool end_pass(const Pass& pass);
  /// Notes the table and gives it its name.
  void finish();
  /// Calls work(). If it fails, nothing is kept, unless a later run may do better: after a stop
  /// request, or with more room on the disk.
  void keep_if_useful(const std::function<void()>& work);
  /// After an error of a pass.
  void keep();

  GroupSink& sink() { return sink_; }
  /// Keys of the pass.
  KeyRange requested() const;
  statistics::GroupRequest request() const;
  report::ReduceReport report(Pass pass) const;

 private:
  store::ReduceCheckpoint state() const {
    return sink_.checkpoint(session_.checkpoints->blank(session_.job.slice_bytes));
  }
  statistics::SpecialCounts specials() const;
  GroupItems next_items() const;
  bool end_counting(Counting& counting, const Pass& pass);
  PassCosts costs_of(const Pass& pass, Counting& counting) const;
  bool end_search(Searching& searching);
  /// Asks for order statistics of the groups that are not in the table. Returns false if they are
  /// found in no pass; they are in the table then.
  bool ask(Searching& searching);
  /// What is stored can be merged and made rows of in a later run, too.
  void save_stored();
  /// Throws a usage error if a key is not one of --groups.
  void check_keys(const Counting& counting) const;
  void poll() const;

  const GroupTask& task_;
  Session& session_;
  GroupFiles& files_;
  int lanes_;
  int all_lanes_;
  GroupSink sink_;
  GroupTable table_;
  std::function<void()> poll_ = [this] { poll(); };
  GroupRows rows_;
};

}  // namespace tessera::reduce
