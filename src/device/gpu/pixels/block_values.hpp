// The values of a block in the memory of the host, which a GPU does not copy there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/geometry.hpp"
#include "device/device.hpp"
#include "job/image/render_job.hpp"

namespace tessera::device::gpu {

/// Fills `band`, whose first row is row `first_row` of the buffers. Tells the value instead, if the
/// band is all that they hold.
void set_all(std::uint64_t count, const job::ImageSpec& image, const base::PixelRect& band,
             const BlockBuffers& out, std::int64_t first_row, BlockCounts& counts);

/// The sum of the counts of 8 bytes in `band`, whose first row is row `first_row` of the buffers.
std::uint64_t sum_of_wide_counts(const base::PixelRect& band, const BlockBuffers& out,
                                 std::int64_t first_row);

}  // namespace tessera::device::gpu
