// Launches of the kernels in kernels/cuda/pixels.cu. They are asynchronous; cudaGetLastError()
// returns their errors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/deep/image.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

/// cudaSuccess if this binary holds the kernels in a form that the current device can run: all of
/// them are compiled for the same devices. Loads a small one; others are loaded when they are first
/// used.
cudaError_t find_a_kernel();

/// `out`: device memory for all bytes that `tile` describes. `stats`: TS_STATS_SLOTS elements of
/// device memory.
void launch_render(const TsTile& tile, std::byte* out, TsStats* stats, cudaStream_t stream);

/// The same for tiles of a deep image, with its jump table in device memory.
void launch_deep(const TsTile& tile, const TsDeepImage& image, const std::byte* table,
                 std::byte* out, TsStats* stats, cudaStream_t stream);
/// The same for listed pixels of such a tile, with a table of 106 bits.
void launch_precise(const TsTile& tile, const TsDeepImage& image, const std::byte* table,
                    std::byte* out, TsStats* stats, cudaStream_t stream);
/// The same for pixels of 190 bits, with their table.
void launch_wide(const TsTile& tile, const TsDeepImage& image, const std::byte* table,
                 std::byte* out, TsStats* stats, cudaStream_t stream);

/// a[i] = i mod 1024, b[i] = 3 (i mod 512).
void launch_fill(double* a, double* b, std::uint64_t count, unsigned blocks, cudaStream_t stream);
/// c = a + b.
void launch_add(const double* a, const double* b, double* c, std::uint64_t count, unsigned blocks,
                cudaStream_t stream);
/// partial[g] = the sum over the elements of block g.
void launch_sum(const double* a, double* partial, std::uint64_t count, unsigned blocks,
                cudaStream_t stream);

}  // namespace tessera::kernels
