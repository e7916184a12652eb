// How `tessera map` divides its arrays.
#pragma once

#include "reduce/axes/axis_work.hpp"
#include "reduce/input/mapped_source.hpp"
#include "reduce/session.hpp"

namespace tessera::reduce {

/// Describes the arrays of the job as a reduction over no axis. The source of the session has the
/// expressions, as open_mapped() opens them.
AxisReduction describe_map(const Session& session, const job::MapJob& job);

inline const MappedSource& mapped_source(const AxisReduction& task) {
  return dynamic_cast<const MappedSource&>(*task.source);
}

}  // namespace tessera::reduce
