// The backend that defines what every pixel is: plain loops, no vectors, no shortcuts.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/axis_reducer.hpp"
#include "device/device.hpp"
#include "device/group_reducer.hpp"
#include "device/placement.hpp"
#include "device/reducer.hpp"

namespace tessera::device::reference {

std::vector<DeviceInfo> list(const Placement& placement);
/// Takes no selector: anything but "" is a usage error.
std::unique_ptr<Device> open(std::string_view selector, const Placement& placement);
std::unique_ptr<Reducer> make_reducer(const statistics::ReductionSpec& spec);
std::unique_ptr<AxisReducer> make_axis_reducer(const statistics::OutputSpec& output_spec);
std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec);

}  // namespace tessera::device::reference
