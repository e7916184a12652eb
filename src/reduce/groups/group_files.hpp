// The files of a reduction of groups beside its inputs, on the gather rank: the table with its
// note, and what an earlier run has stored for this one.
#pragma once

#include <optional>

#include "reduce/done_note.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/run_file.hpp"
#include "reduce/session.hpp"

namespace tessera::reduce {

/// The number of the passes before the first one over the groups; no run resumes them.
inline constexpr std::int64_t kRangePass = -1;

class GroupFiles {
 public:
  /// Before any work. Throws usage errors for files that are in the way. Looks for what an earlier
  /// run has stored beside its checkpoint; if that is not as it was written, the session resumes
  /// nothing.
  GroupFiles(Session& session, const job::ReduceJob& job);

  /// The note of a table of this job that is complete already.
  const std::optional<FinishedOutput>& finished() const { return finished_; }
  /// Throws a usage error if the disk has no room for the rows of --groups.
  void check_space(const GroupTask& task) const;
  /// Rows that wait until their number is known.
  RunFile& waiting_rows() { return *waiting_rows_; }
  /// Notes that the table beside the output is complete.
  void note(const GroupTask& task, const FinishedOutput& table) const;

 private:
  void find_stored();
  bool can_be_noted() const;

  Session& session_;
  const job::ReduceJob& job_;
  std::optional<FinishedOutput> finished_;
  std::optional<RunFile> waiting_rows_;
};

/// Whether the session resumes a pass over the groups.
inline bool resumes_groups(const Session& session) {
  return session.resumed.shares > 0 && session.resumed.pass >= 0;
}

}  // namespace tessera::reduce
