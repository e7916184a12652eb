// The output of a reduction along axes or of map: files, which are created or resumed, written, and
// renamed at the end; or the sink of the calling program.
#pragma once

#include <memory>
#include <optional>

#include "comm/world.hpp"
#include "reduce/axes/array_sink.hpp"
#include "reduce/axes/axis_sink.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/checkpointing.hpp"
#include "reduce/done_note.hpp"

namespace tessera::reduce {

/// Exists on every rank; opened on the gather rank only.
class AxisOutput {
 public:
  virtual ~AxisOutput() = default;
  /// Called on the gather rank before any work. Returns the note of a finished output of this job,
  /// if all its files are there. Otherwise checks that the files can be written, that they replace
  /// none without permission, and that the disk has room for them. Throws usage errors.
  virtual std::optional<FinishedOutput> check(const AxisReduction& /*task*/,
                                              const ReduceCheckpoints& /*checkpoints*/) const {
    return std::nullopt;
  }
  /// Resumes from the found checkpoint, or begins. `task` must outlive this object. If another run
  /// has finished the same output since check(), returns its note and stays closed.
  virtual std::optional<FinishedOutput> open(const AxisReduction& task,
                                             ReduceCheckpoints& checkpoints) = 0;
  /// Collective, after open(). Where ranks can write their results by themselves, `task` says so.
  virtual void share(comm::World& world, AxisReduction& task) const = 0;
  /// Null before open().
  AxisSink* sink() { return sink_ ? &*sink_ : nullptr; }
  /// Keeps what is unfinished for a later run.
  virtual void keep() {}
  /// To be called when everything is written. Renames the files to the outputs as the last step:
  /// after a kill before its end a later run resumes, after a kill behind it a later run finds a
  /// finished output.
  virtual void finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints) = 0;

 protected:
  std::optional<AxisSink> sink_;
};

/// Into the files of the job, or into `sink` if it is not null.
std::unique_ptr<AxisOutput> make_output(ArraySink* sink);

}  // namespace tessera::reduce
