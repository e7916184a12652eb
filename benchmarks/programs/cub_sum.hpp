// CUB's sum, which the exact ones are measured against.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace tessera::bench {

/// Bytes of device memory that a sum of `count` elements needs for itself.
std::size_t cub_room(std::uint64_t count, bool is_f64);

/// *sum = the sum of the elements, in their own type; returns at once. All is device memory.
cudaError_t cub_sum(const void* elements, std::uint64_t count, bool is_f64, void* room,
                    std::size_t room_bytes, void* sum, cudaStream_t stream);

}  // namespace tessera::bench
