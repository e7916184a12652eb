// Blocks of images by perturbation, for devices that compute in the cores.
#pragma once

#include "deep/deep_block.hpp"
#include "device/device.hpp"

namespace tessera::device {

/// The place of an image with perturbation.
deep::Place deep_place(const job::ImageSpec& image, const job::MoreFields& fields);

/// As Lane::render(), for such an image. Prepares it if that has not happened.
BlockCounts render_deep_block(const job::ImageSpec& image, const base::PixelRect& block,
                              const BlockBuffers& out, const deep::Advance& advance = {});

}  // namespace tessera::device
