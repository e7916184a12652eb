// Axis reductions on a GPU. Each output of a tile has accumulators ("cells") on the device.
// Launches add to them; the host reads them when the tile is complete.
#pragma once

#include <memory>

#include "device/axis_reducer.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"

namespace tessera::device::gpu {

std::unique_ptr<AxisReducer> make_gpu_axis_reducer(std::unique_ptr<ArrayStream> stream,
                                                   const statistics::OutputSpec& output_spec,
                                                   std::size_t max_bytes);

}  // namespace tessera::device::gpu
