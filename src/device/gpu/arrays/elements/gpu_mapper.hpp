// Evaluates expressions on a GPU and copies their elements back.
#pragma once

#include <memory>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/mapper.hpp"

namespace tessera::device::gpu {

std::unique_ptr<Mapper> make_gpu_mapper(std::unique_ptr<ArrayStream> stream, std::size_t max_bytes);

}  // namespace tessera::device::gpu
