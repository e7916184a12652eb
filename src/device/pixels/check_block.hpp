// The check that every device makes before it computes a block.
#pragma once

#include "device/device.hpp"

namespace tessera::device {

/// Throws a usage error for a block outside the image, a missing or too narrow buffer, zero
/// iterations, and smooth values or distances with a bailout below the formula's escape radius
/// (such orbits need not leave |z| = 256).
void check_request(const job::ImageSpec& image, const base::PixelRect& block,
                   const BlockBuffers& out);

/// Whether |z| must be tested after every step: an orbit that was outside R may be inside again 16
/// steps later (docs/formulas.md).
bool needs_care(const job::ImageSpec& image);

}  // namespace tessera::device
