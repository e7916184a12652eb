// The checkpoint file of a running reduction: found at the start, saved periodically, removed after
// the report is printed.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file/unfinished_file.hpp"
#include "base/periodic_task.hpp"
#include "reduce/job_facts.hpp"
#include "reduce/run_file.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::reduce {

/// One line per input file: its absolute path, and what distinguishes its contents from others. Of
/// arrays in memory nothing does, so that the text is another one each time.
std::string describe_inputs(const JobFacts& facts);
/// The first file whose line differs between `then` and `now`.
std::string changed_file(const std::string& then, const std::string& now);

/// Exists on the gather rank only.
class ReduceCheckpoints {
 public:
  /// Looks for the checkpoint of an earlier run of the job and locks it. A checkpoint that is
  /// damaged, or whose inputs have changed, is reported and not used. Throws a usage error if
  /// another run holds the lock, or if the checkpoint belongs to another job and --overwrite is not
  /// given.
  ReduceCheckpoints(const job::ArrayJob& job, const JobFacts& facts);
  ~ReduceCheckpoints();
  ReduceCheckpoints(const ReduceCheckpoints&) = delete;
  ReduceCheckpoints& operator=(const ReduceCheckpoints&) = delete;

  /// The checkpoint that this run resumes from, if any.
  const std::optional<store::ReduceCheckpoint>& found() const { return found_; }
  /// Which unfinished files beside the output may be replaced: any with --overwrite; without it,
  /// those beside a checkpoint.
  base::IsOurs left_over() const { return may_replace_ || left_ ? base::anything : base::IsOurs(); }
  /// Resumes from `found`, which is of this job; throws a usage error if its inputs have changed.
  void adopt(store::ReduceCheckpoint found);
  /// Discards the found checkpoint and prints the reason `why`.
  void discard(const std::string& why);
  /// Lines with every option that affects the result, and with the path of every input file and
  /// what distinguishes its contents. If two runs have the same text, they have the same result.
  std::string identity() const { return job_ + inputs_; }
  const std::string& inputs() const { return inputs_; }
  /// A checkpoint of this job without any finished work.
  store::ReduceCheckpoint blank(std::uint64_t slice_bytes) const;
  /// Whether a finished output may be replaced: --overwrite was given to this run or to the run
  /// that it resumes.
  bool may_replace() const { return may_replace_; }

  /// Starts a thread that saves the result of `take` every job.checkpoint_s seconds, counted from
  /// the last save. A failure to save is reported once and does not end the run.
  void begin(std::function<store::ReduceCheckpoint()> take);
  /// Stops that thread. If `code` is not done, saves the last state, unless there is no work worth
  /// keeping. Returns text to append to the message of the run.
  std::string end(base::ExitCode code);
  /// Saves `state`, from which a later run may resume although no thread saves it now. A failure is
  /// reported once.
  void save(const store::ReduceCheckpoint& state);
  /// The same for work that is done: throws if it cannot be saved.
  void keep(const store::ReduceCheckpoint& state) { file_.save(state); }
  /// The groups that --by stores beside the checkpoint. The file is removed with it.
  RunFile& groups_file() { return groups_file_; }
  const std::string& path() const { return file_.path(); }
  /// Whether the state of a stopped run is kept.
  bool keeps() const { return !file_.path().empty(); }
  /// Whether there is a checkpoint file for a later run.
  bool kept() const { return file_.there(); }
  /// Frees the memory of found()->partial, which was taken over.
  void release_found() {
    if (found_) found_->partial = {};
  }
  /// Removes the files; called after the result is printed.
  void remove() noexcept;

 private:
  void take_over(store::ReduceCheckpoint before);
  /// Saves a blank checkpoint, which replaces any older one and reserves the name for this run. On
  /// a full disk it removes the file, and the run continues without one.
  void begin_file();
  void save_or_tell();
  /// Prints the first error only.
  void tell(const std::exception& error);

  std::string command_;
  std::string job_;
  std::string inputs_;
  int interval_s_;
  bool from_the_start_;  ///< the file is created before any work is finished
  bool may_replace_;
  bool left_ = false;  ///< a run has left a checkpoint
  store::ReduceCheckpointFile file_;
  RunFile groups_file_;
  std::optional<store::ReduceCheckpoint> found_;
  std::function<store::ReduceCheckpoint()> take_;
  base::Clock::time_point saved_at_ = base::Clock::now();
  bool begun_ = false;
  bool worth_keeping_ = false;  ///< a periodic save has succeeded, or resumed work exists
  bool told_ = false;           ///< a failure to save has been reported
  std::unique_ptr<base::PeriodicTask> timer_;
};

}  // namespace tessera::reduce
