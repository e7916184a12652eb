// Reducers of pairs of numbers: the elements are x and y of a pair, one behind the other. The
// thread that drives a device adds them, so that no device has to know pairs, and all have the same
// sums.
#pragma once

#include <memory>

#include "device/axis_reducer.hpp"
#include "device/group_reducer.hpp"
#include "device/reducer.hpp"

namespace tessera::device {

// For specs with a pairing. What the sums of a Partial hold is in statistics/number_pairs.hpp.
std::unique_ptr<Reducer> make_pair_reducer(const statistics::ReductionSpec& spec);
std::unique_ptr<AxisReducer> make_pair_axis_reducer(const statistics::OutputSpec& output_spec);
std::unique_ptr<GroupReducer> make_pair_group_reducer(const statistics::GroupSpec& group_spec);

}  // namespace tessera::device
