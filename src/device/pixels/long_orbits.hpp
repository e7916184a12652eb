// Plain pixels beyond the counters of 32 bits that devices have: those that are still within are
// computed again on the host, one at a time, with counters of 64 bits.
#pragma once

#include <cstdint>
#include <functional>

#include "base/geometry.hpp"
#include "device/device.hpp"
#include "job/image/render_job.hpp"

namespace tessera::device {

struct LongOrbitOptions {
  bool shortcuts = true;  ///< as in LaneOptions
  /// Throws Interrupted soon after it has become true; may be empty.
  const std::function<bool()>& unwanted;
};

/// Completes a block that was rendered up to `known` iterations, with counts of the image's own
/// type: pixels with that count get all their values from their whole orbit. Sets
/// counts.iterations, and adds to counts.executed.
void finish_long_orbits(const job::ImageSpec& image, const base::PixelRect& block,
                        const BlockBuffers& out, std::uint64_t known,
                        const LongOrbitOptions& options, BlockCounts& counts);

}  // namespace tessera::device
