// The output file of a reduction along axes: created or resumed, written, renamed at the end.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "reduce/axes/axis_sink.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/checkpointing.hpp"
#include "reduce/done_note.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

/// The arrays of the output, one per operation, in the order of the operations.
std::vector<store::WrittenArray> arrays_of(const AxisReduction& task);

/// Called on the gather rank before any work. Returns the note of a finished output of this job, if
/// there is one. Otherwise checks that the output can be written, that it replaces no file without
/// permission, and that the disk has room for it. Throws usage errors.
std::optional<FinishedOutput> check_axis_output(const AxisReduction& task,
                                                const ReduceCheckpoints& checkpoints);

/// Opened on the gather rank only.
class AxisOutput {
 public:
  /// Resumes from the found checkpoint, or creates the file. `task` must outlive this object.
  /// Throws base::NameTaken if another run has finished the output since check_axis_output() and it
  /// may not be replaced.
  void open(const AxisReduction& task, ReduceCheckpoints& checkpoints);
  /// Null before open().
  AxisSink* sink() { return sink_ ? &*sink_ : nullptr; }
  /// Keeps the unfinished file for a later run.
  void keep() { writer_->keep(); }
  /// To be called when everything is written. Renames the file to the output as the last step:
  /// after a kill before it a later run resumes, after a kill behind it a later run finds a
  /// finished output.
  void finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints);

 private:
  bool go_on(const AxisReduction& task, const store::ReduceCheckpoint& found);
  void create(const AxisReduction& task);
  void check_name(const std::string& path, bool holds_work);

  std::unique_ptr<store::ArrayWriter> writer_;
  std::optional<AxisSink> sink_;
};

}  // namespace tessera::reduce
