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
  std::vector<std::uint32_t> counts;
  std::vector<float> smooth;     ///< if the image has it
  std::uint64_t executed = 0;    ///< steps and jumps
  std::uint64_t recomputed = 0;  ///< pixels whose count was uncertain in f64
};

/// The bits do not depend on the block, nor on `advance`.
DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       const Advance& advance = {});

}  // namespace tessera::deep
