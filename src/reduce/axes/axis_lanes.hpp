// The lanes of a reduction along axes: a reducer and what it reads into for each worker thread.
#pragma once

#include <vector>

#include "reduce/axes/axis_work.hpp"

namespace tessera::reduce {

/// As many as the devices want and as there is room for in --memory, of each device one before any
/// has two. Usage error if there is room for none, and for a device that does not reduce along
/// axes; DeviceError for a device that has no room for a single one.
std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices);

}  // namespace tessera::reduce
