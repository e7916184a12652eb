// The door of this room: runs a job of `tessera reduce` or `tessera map`, from the input to the
// report.
#pragma once

#include <optional>

#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/axes/array_sink.hpp"
#include "reduce/checkpointing.hpp"
#include "reduce/groups/table_sink.hpp"
#include "reduce/reduce_values.hpp"
#include "reduce/session.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::reduce {

/// What the calling program receives beside the report; each may be null. Sinks take the place of
/// the files of the job, and only the gather rank's are used.
struct Receivers {
  report::LiveRun* live = nullptr;
  ArraySink* arrays = nullptr;    ///< of --axis; nothing is kept for a later run then
  TableSink* table = nullptr;     ///< of --by
  PartialState* state = nullptr;  ///< of a whole array; on the gather rank
  SharedSlices shared{};          ///< of a whole array
};

/// Collective. Returns the report of the run on the gather rank, an empty report elsewhere. Throws
/// the same base::Error on every rank, farm::StoppedRun<report::ReduceReport> with the report so
/// far if the run was stopped. On the gather rank it creates `checkpoints`; the caller calls
/// remove() after it has printed the result.
report::ReduceReport reduce(run::Context& context, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints,
                            const Receivers& receivers = {});

/// The same of `tessera map`. A `sink` takes the place of the files of the job.
report::ReduceReport map(run::Context& context, const job::MapJob& job,
                         std::optional<ReduceCheckpoints>& checkpoints, ArraySink* sink = nullptr);

}  // namespace tessera::reduce
