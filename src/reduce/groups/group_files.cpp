#include "reduce/groups/group_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "reduce/groups/group_state.hpp"
#include "reduce/groups/group_table.hpp"
#include "reduce/reduce_files.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

GroupFiles::GroupFiles(Session& session, const job::ReduceJob& job) : session_(session), job_(job) {
  const ReduceCheckpoints& checkpoints = *session_.checkpoints;
  check_reduce_files(job, session.facts);
  if (!job.output.empty()) {
    if (can_be_noted() && !job.overwrite) {
      finished_ = find_finished(job.output, checkpoints.identity());
    }
    store::check_array_output(job.output, "--output", finished_ || checkpoints.may_replace());
    if (!job.overwrite) check_note(job.output);
    if (finished_) return;
    base::check_left_over(base::part_path(job.output), checkpoints.left_over());
  }
  find_stored();
}

/// Whether a later run can tell that the table is the one it would make.
bool GroupFiles::can_be_noted() const {
  return !job_.output.empty() && !reads_memory(session_.facts) &&
         std::ranges::none_of(session_.facts.bins, base::exists);
}

void GroupFiles::find_stored() {
  ReduceCheckpoints& checkpoints = *session_.checkpoints;
  const std::string& output = job_.output;
  waiting_rows_.emplace(output.empty() ? "" : GroupTable::waiting_path(output), base::kRowsMark,
                        base::mode_for(output));
  std::string why;
  if (session_.resumed.pass == kRangePass) {
    why = "is of the search for the ranges of the keys";
  } else if (resumes_groups(session_)) {
    const auto state = base::from_bytes<GroupState>(checkpoints.found()->partial);
    const auto table = base::from_bytes<GroupTable::Progress>(state.table);
    const bool is_there =
        checkpoints.groups_file().resume(state.stored) && waiting_rows_->resume(table.waiting);
    if (!is_there) why = "the groups that it stored are gone or damaged";
  }
  if (!why.empty()) {
    checkpoints.discard(why);
    session_.resumed = {.slice_bytes = session_.resumed.slice_bytes};
  }
  checkpoints.groups_file().check(checkpoints.left_over());
  if (!output.empty()) waiting_rows_->check(checkpoints.left_over());
}

void GroupFiles::check_space(const GroupTask& task) const {
  if (finished_ || job_.output.empty() || job_.groups == 0 || session_.checkpoints->found()) return;
  const double needed = store::min_table_bytes(job_.output, table_columns(task), job_.groups);
  const std::string folder = base::existing_folder_of(base::target_of(job_.output));
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || static_cast<double>(space.available) >= needed) return;
  const auto [free, least] =
      base::format_different_bytes(static_cast<double>(space.available), needed);
  throw base::usage_error("--groups {}: a row for each needs {} at the very least, {} free in {}",
                          job_.groups, least, free, folder);
}

void GroupFiles::note(const GroupTask& task, const FinishedOutput& table) const {
  const auto refers = [](const store::ArraySource& array) { return array.info().refers_elsewhere; };
  const bool unknown =
      refers(*task.source) || std::ranges::any_of(task.keys->columns(), [&](const KeyColumn& key) {
        return refers(*key.source);
      });
  if (!can_be_noted() || unknown) return;
  try_to_note(session_.facts.command, job_.output, store::unfinished_path(job_.output),
              session_.checkpoints->identity(), table);
}

}  // namespace tessera::reduce
