#include "reduce/axes/axis_output.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "reduce/reduce_files.hpp"
#include "store/arrays/hdf5_addition.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// The files of one disk need room together. Chunks may be small.
void check_space(const AxisReduction& task) {
  std::vector<std::uint64_t> needed(task.files.size());
  const std::vector<store::WrittenArray> arrays = arrays_of(task);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].chunk.empty()) needed[task.place_of(i).file] += store::bytes_each(arrays[i], 0);
  }
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    // A copy of the whole file, and the arrays once more.
    if (!names_dataset(*task.job, file) || !base::exists(task.files[file])) continue;
    needed[file] = 2 * needed[file] + base::stamp_of(task.files[file]).bytes;
  }
  std::uint64_t sum = 0;
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::string folder = base::existing_folder_of(base::target_of(task.files[file]));
    const bool alike = folder == base::existing_folder_of(base::target_of(task.files.front()));
    sum = alike ? sum + needed[file] : needed[file];
    std::error_code error;
    const auto space = std::filesystem::space(folder, error);
    if (error || space.available >= sum) continue;
    const auto [free, least] = base::format_different_bytes(static_cast<double>(space.available),
                                                            static_cast<double>(sum));
    throw base::usage_error("--output {}: {} free on that disk, the file needs {}",
                            task.files[file], free, least);
  }
}

/// A run that ended while it renamed its files has finished some of them. They become unfinished
/// again, so that all can be resumed.
void take_back(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  if (task.files.size() == 1) return;
  for (const std::string& path : task.files) {
    const std::string part = base::part_path(path);
    if (base::exists(part) || !find_finished(path, checkpoints.identity())) continue;
    base::publish_file(path, part, base::identity_of(path), base::Replace::nothing);
  }
}

}  // namespace

std::optional<FinishedOutput> check_axis_output(const AxisReduction& task,
                                                const ReduceCheckpoints& checkpoints) {
  std::optional<FinishedOutput> finished;
  bool all = !task.job->overwrite;
  std::vector<bool> may_replace;
  for (const std::string& path : task.files) {
    const auto found = find_finished(path, checkpoints.identity());
    all &= found.has_value();
    finished = found;
    may_replace.push_back(checkpoints.may_replace() || (found && checkpoints.found()));
  }
  if (!all) finished.reset();
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::string& path = task.files[file];
    store::check_output(path, "--output", finished || may_replace[file]);
    if (names_dataset(*task.job, file)) store::joins_others(path, arrays_in(task, file));
  }
  check_reduce_files(*task.job);
  if (!task.job->overwrite) std::ranges::for_each(task.files, check_note);
  if (!finished) check_space(task);
  return finished;
}

bool AxisOutput::resume(const AxisReduction& task, const store::ReduceCheckpoint& found) {
  const auto layouts = base::from_bytes<AxisState>(found.partial).layouts;
  if (!AxisFiles::can_resume(task, layouts)) return false;
  files_ = std::make_unique<AxisFiles>(task, layouts);
  sink_.emplace(task, *files_);
  return sink_->resume(found);
}

void AxisOutput::create(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  files_.reset();
  files_ = std::make_unique<AxisFiles>(task, checkpoints.left_over());
  sink_.emplace(task, *files_);
}

/// Called with the locks of the .part files held: another run may have finished the output since
/// check_axis_output(), but cannot finish it from now on.
void AxisOutput::check_names(const AxisReduction& task, bool holds_work) {
  const auto taken = std::ranges::find_if(task.files, base::exists);
  if (taken == task.files.end()) return;
  if (holds_work) files_->keep();
  sink_.reset();
  files_.reset();
  throw base::NameTaken(*taken);
}

void AxisOutput::open(const AxisReduction& task, ReduceCheckpoints& checkpoints) {
  const auto& found = checkpoints.found();
  if (found) take_back(task, checkpoints);
  if (found && !resume(task, *found)) {
    checkpoints.discard(base::part_path(task.job->output) + " has changed since it was written");
  }
  if (!found) create(task, checkpoints);
  if (!checkpoints.may_replace()) check_names(task, found.has_value());
}

void AxisOutput::finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  files_->keep();
  files_->complete();  // the notes have the last sizes and times of the files
  // A later run could not detect a change of files that INPUT only refers to.
  if (!task.source->info().refers_elsewhere) {
    for (std::size_t file = 0; file < task.files.size(); ++file) {
      try_to_note(task.job->command(), task.files[file], files_->made(file), checkpoints.identity(),
                  {sink_->specials(), task.items.count()});
    }
  }
  files_->finish(checkpoints.may_replace() ? base::Replace::what_is_there : base::Replace::nothing);
}

}  // namespace tessera::reduce
