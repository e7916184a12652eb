// Opens the lanes of a reduction along axes: a reducer and its input memory for each worker thread.
#pragma once

#include <vector>

#include "reduce/axes/axis_work.hpp"

namespace tessera::reduce {

/// Opens as many lanes as the devices have and --memory allows, one of each device before a second
/// of any. Throws a usage error if --memory has no room for a lane or a device cannot reduce along
/// axes, and DeviceError if a device lacks memory for its first lane.
std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices);

}  // namespace tessera::reduce
