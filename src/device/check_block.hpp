// The check that every device makes before it computes a block.
#pragma once

#include "device/device.hpp"

namespace tessera::device {

/// Throws a usage error for a block outside the image, a missing or too narrow buffer, zero
/// iterations, and smooth values with a bailout below 2 (such orbits need not leave |z| = 256).
void check_request(const job::ImageSpec& image, const base::PixelRect& block,
                   const BlockBuffers& out);

}  // namespace tessera::device
