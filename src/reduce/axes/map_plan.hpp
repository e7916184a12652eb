// How `tessera map` divides its arrays.
#pragma once

#include "reduce/axes/axis_work.hpp"
#include "reduce/input/mapped_source.hpp"

namespace tessera::reduce {

/// Describes the arrays of the job as a reduction over no axis. `source`: the expressions, as
/// open_source() opens them.
AxisReduction describe_map(const store::ArraySource& source, const job::ReduceJob& job);

inline const MappedSource& mapped_source(const AxisReduction& task) {
  return dynamic_cast<const MappedSource&>(*task.source);
}

}  // namespace tessera::reduce
