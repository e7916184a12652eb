// Reductions along axes, and maps: each operation or expression gives an array.
#pragma once

#include "reduce/axes/array_sink.hpp"
#include "reduce/session.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// As reduce() of reduce/reduce.hpp; `sink` may be null. Finishes the output and removes the
/// checkpoint.
report::ReduceReport reduce_axes(Session& session, const job::ReduceJob& job, ArraySink* sink);

/// The same for `tessera map`: writes job.mapped.
report::ReduceReport map_arrays(Session& session, const job::MapJob& job, ArraySink* sink);

}  // namespace tessera::reduce
