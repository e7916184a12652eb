// The file of a reduction along axes in the making, and what was there before it.
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

/// In the order of the operations.
std::vector<store::WrittenArray> arrays_of(const AxisReduction& task);

/// On the gather rank, before any work: what there is of a finished output, if it is this job's.
/// Otherwise the output can be written, replaces nothing that it must not, and the disk has room
/// for it. Usage errors.
std::optional<FinishedOutput> check_axis_output(const AxisReduction& task,
                                                const ReduceCheckpoints& checkpoints);

/// On the gather rank; elsewhere it stays empty.
class AxisOutput {
 public:
  /// Goes on with what was found, or begins anew. From now on checkpoints are saved. `task` and
  /// `checkpoints` live longer. base::NameTaken if another run has finished the output since
  /// check_axis_output(), and it must stay.
  void open(const AxisReduction& task, ReduceCheckpoints& checkpoints);
  /// Null before open().
  AxisSink* sink() { return sink_ ? &*sink_ : nullptr; }
  /// What is there by now is for a later run.
  void keep() { writer_->keep(); }
  /// Everything is written. To become the output is the last step, so that what a kill before it
  /// leaves is gone on with, and what one after it leaves is known to be finished.
  void finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints);

 private:
  bool go_on(const AxisReduction& task, const store::ReduceCheckpoint& found);
  void create(const AxisReduction& task);
  void check_name(const std::string& path, bool holds_work);

  std::unique_ptr<store::ArrayWriter> writer_;
  std::optional<AxisSink> sink_;
};

}  // namespace tessera::reduce
