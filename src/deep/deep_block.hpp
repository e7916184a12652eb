// A block of pixels of a deep image.
#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.hpp"
#include "deep/deep_image.hpp"
#include "deep/tiers.hpp"

namespace tessera::deep {

/// The values of a block, row by row.
struct DeepBlock {
  std::vector<std::uint64_t> counts;
  std::vector<float> smooth, distance;  ///< those that the image has
  std::uint64_t executed = 0;           ///< steps and jumps
  std::uint64_t uncertain = 0;          ///< pixels whose count f64 leaves open
};

/// The bits do not depend on the block, nor on `advance`.
DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       const Advance& advance = {});

/// Computes the pixels of a block whose counts f64 leaves uncertain. `pixels` are their indices,
/// row by row; the other values of the result are not set.
DeepBlock recompute(const DeepImage& image, const base::PixelRect& block,
                    const std::vector<std::uint32_t>& pixels, const Advance& advance = {});

}  // namespace tessera::deep
