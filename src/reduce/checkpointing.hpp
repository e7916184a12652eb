// The checkpoint of a reduction while it runs: found, saved now and then, gone in the end.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/periodic_task.hpp"
#include "job/reduce_job.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::reduce {

/// On the gather rank only.
class ReduceCheckpoints {
 public:
  /// Looks for what an earlier run of the job has left, and takes a lock on it. What is damaged, or
  /// about inputs that have changed since, is told and not used. Usage error if another run is at
  /// it, or if it is another job's and the job does not say --overwrite.
  explicit ReduceCheckpoints(const job::ReduceJob& job);
  ~ReduceCheckpoints();
  ReduceCheckpoints(const ReduceCheckpoints&) = delete;
  ReduceCheckpoints& operator=(const ReduceCheckpoints&) = delete;

  /// What to go on with.
  const std::optional<store::ReduceCheckpoint>& found() const { return found_; }
  /// It turns out not to fit: told with the reason, and not used.
  void begin_anew(const std::string& why);
  /// In lines: what decides numbers, and which files there were, how large, changed when. Where it
  /// is the same, so is the answer.
  std::string made_of() const { return job_ + inputs_; }
  /// Of this job, of whose work nothing is finished.
  store::ReduceCheckpoint blank(std::uint64_t slice_bytes) const;
  /// A finished output may be replaced: this run says so, or the one that it goes on with did.
  bool may_replace() const { return may_replace_; }

  /// From now on, every job.checkpoint_s seconds, what `take` gives is saved, in a thread of its
  /// own. Where that fails it is told once, and the run goes on.
  void begin(std::function<store::ReduceCheckpoint()> take);
  /// No more of that. If the work has ended with another code than done, the last state is saved,
  /// unless nothing is lost without it. Returns what to add to the message.
  std::string end(base::ExitCode code);
  const std::string& path() const { return file_.path(); }
  /// Whether there is a file for a later run.
  bool kept() const { return file_.there(); }
  /// After the answer has been told.
  void remove() noexcept;

 private:
  void take_over(store::ReduceCheckpoint before);
  /// So that nothing is found there that is not this run's, and no other run begins the same. Where
  /// there is no room for a file, none is there, and the run goes on.
  void begin_file();
  void save_or_tell();
  /// Once.
  void tell(const std::exception& error);

  std::string job_;
  std::string inputs_;
  int interval_s_;
  bool from_the_start_;  ///< there is a file at once, and not only when there is something in it
  bool may_replace_;
  store::ReduceCheckpointFile file_;
  std::optional<store::ReduceCheckpoint> found_;
  std::function<store::ReduceCheckpoint()> take_;
  bool begun_ = false;
  bool worth_keeping_ = false;  ///< holds more than seconds of work
  bool told_ = false;           ///< that it cannot be saved
  std::unique_ptr<base::PeriodicTask> timer_;
};

}  // namespace tessera::reduce
