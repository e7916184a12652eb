// A reducer of groups on a GPU. The host numbers the groups; the GPU adds elements to the cells of
// their groups (kernels/gpu/groups.h). In passes for order statistics, the GPU finds the groups.
#pragma once

#include <memory>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/group_reducer.hpp"

namespace tessera::device::gpu {

std::unique_ptr<GroupReducer> make_gpu_group_reducer(std::unique_ptr<ArrayStream> stream,
                                                     const statistics::GroupSpec& group_spec,
                                                     std::size_t max_bytes);

}  // namespace tessera::device::gpu
