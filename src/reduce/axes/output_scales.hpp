// The scales of the dimensions that arrays of --axis and of map have.
#pragma once

#include "reduce/axes/axis_work.hpp"

namespace tessera::reduce {

/// Reads the coordinates of the dimensions that are kept, for arrays_of(task).
void set_scales(AxisReduction& task);

/// The scale of the last dimension of a result with several values.
store::WrittenScale scale_of_values(const statistics::AnswerType& result,
                                    const job::ReduceJob& job);

}  // namespace tessera::reduce
