// The CPU cores of a rank as a device, with the widest vectors that they support.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/axis_reducer.hpp"
#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/group_reducer.hpp"
#include "device/placement.hpp"
#include "device/reducer.hpp"

namespace tessera::device::cpu {

struct CpuTarget;

std::vector<DeviceInfo> list(const Placement& placement);
/// `selector` names an instruction set ("avx2"). Throws a usage error that lists the available ones
/// if this machine or this build lacks it.
std::unique_ptr<Device> open(std::string_view selector, const Placement& placement);
/// Arrays in host memory, processed by all threads of the placement.
std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement);
/// Reducers that use this instruction set.
std::unique_ptr<Reducer> make_reducer(const statistics::ReductionSpec& spec,
                                      const CpuTarget& target);
std::unique_ptr<AxisReducer> make_axis_reducer(const statistics::OutputSpec& output_spec,
                                               const CpuTarget& target);
std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec,
                                                 const CpuTarget& target);

}  // namespace tessera::device::cpu
