// How `tessera map` divides its arrays.
#pragma once

#include "reduce/axes/axis_work.hpp"
#include "reduce/input/mapped_source.hpp"

namespace tessera::reduce {

/// Describes the arrays of the job as a reduction over no axis. The source has the expressions, as
/// open_mapped() opens them.
void describe_map(const job::MapJob& job, AxisReduction& task);

inline const MappedSource& mapped_source(const AxisReduction& task) {
  return dynamic_cast<const MappedSource&>(*task.source);
}

}  // namespace tessera::reduce
