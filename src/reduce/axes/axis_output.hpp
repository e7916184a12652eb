// The output files of a reduction along axes: created or resumed, written, renamed at the end.
#pragma once

#include <memory>
#include <optional>

#include "reduce/axes/axis_files.hpp"
#include "reduce/axes/axis_sink.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/checkpointing.hpp"
#include "reduce/done_note.hpp"

namespace tessera::reduce {

/// Called on the gather rank before any work. Returns the note of a finished output of this job, if
/// all its files are there. Otherwise checks that the files can be written, that they replace none
/// without permission, and that the disk has room for them. Throws usage errors.
std::optional<FinishedOutput> check_axis_output(const AxisReduction& task,
                                                const ReduceCheckpoints& checkpoints);

/// Opened on the gather rank only.
class AxisOutput {
 public:
  /// Resumes from the found checkpoint, or creates the files. `task` must outlive this object.
  /// Throws base::NameTaken if another run has finished the output since check_axis_output() and it
  /// may not be replaced.
  void open(const AxisReduction& task, ReduceCheckpoints& checkpoints);
  /// Null before open().
  AxisSink* sink() { return sink_ ? &*sink_ : nullptr; }
  /// Only after open().
  const AxisFiles& files() const { return *files_; }
  /// Keeps the unfinished files for a later run.
  void keep() { files_->keep(); }
  /// To be called when everything is written. Renames the files to the outputs as the last step:
  /// after a kill before its end a later run resumes, after a kill behind it a later run finds a
  /// finished output.
  void finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints);

 private:
  bool resume(const AxisReduction& task, const store::ReduceCheckpoint& found);
  void create(const AxisReduction& task, const ReduceCheckpoints& checkpoints);
  void check_names(const AxisReduction& task, bool holds_work);

  std::unique_ptr<AxisFiles> files_;
  std::optional<AxisSink> sink_;
};

}  // namespace tessera::reduce
