// Reducers with sums of third and higher powers. The thread that drives a device adds these, so
// that no device has to know them, and all have the same ones.
#pragma once

#include <memory>

#include "device/axis_reducer.hpp"
#include "device/device.hpp"
#include "device/group_reducer.hpp"
#include "device/reducer.hpp"

namespace tessera::device {

// As the functions of Device with these names, with all that the spec asks for.
std::unique_ptr<Reducer> open_reducer(const Device& device, const statistics::ReductionSpec& spec);
std::unique_ptr<AxisReducer> open_axis_reducer(const Device& device,
                                               const statistics::OutputSpec& output_spec);
std::unique_ptr<GroupReducer> open_group_reducer(const Device& device,
                                                 const statistics::GroupSpec& group_spec);

}  // namespace tessera::device
