// A block of pixels of a deep image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "deep/deep_image.hpp"
#include "deep/tiers.hpp"

namespace tessera::deep {

/// The values of pixels, in their order.
struct DeepBlock {
  std::vector<std::uint64_t> counts;
  std::vector<float> smooth, fraction, phase;           ///< if the image has smooth values
  std::vector<float> distance, gradient_x, gradient_y;  ///< if it has distances
  std::uint64_t executed = 0;                           ///< steps and jumps
  std::uint64_t uncertain = 0;                          ///< pixels whose count f64 leaves open
  std::uint64_t on_device = 0;       ///< pixels of those that a PreciseDevice ended
  std::uint64_t with_more_bits = 0;  ///< pixels of those that needed more than 106 bits
  std::uint64_t undecided = 0;       ///< pixels of those that the most bits leave open
};

/// Row by row. The bits do not depend on the block, nor on `advance`.
DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       const Advance& advance = {});

/// Advances pixels of a block, given by their indices row by row, elsewhere than on the cores: in a
/// tier of 106 bits, or with 190 bits. They return the results, or nothing if the cores have to do
/// it. Either may be empty.
struct PreciseDevice {
  using Places = std::span<const std::uint32_t>;
  using Results = std::vector<kernels::TsDeepResult>;

  std::function<Results(const PreciseTable& table, std::size_t tier, Places pixels)> precise;
  std::function<Results(const WideTier& tier, Places pixels)> wide;
};

/// Computes the pixels of a block whose counts f64 leaves uncertain. `pixels` are their indices,
/// row by row, and the result has their values alone.
DeepBlock recompute(const DeepImage& image, const base::PixelRect& block,
                    std::span<const std::uint32_t> pixels, const Advance& advance = {},
                    const PreciseDevice& device = {});

}  // namespace tessera::deep
