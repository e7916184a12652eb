// A coarse picture of the image. It is computed first and predicts the cost of every tile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

/// Cells of `tiles_per_cell` x `tiles_per_cell` tiles, each sampled by samples_px x samples_px
/// points of the image.
struct Preview {
  job::ImageSpec image;  ///< one pixel per sample; its pixel grid fits the cells exactly
  TileGrid cells;        ///< cells of `image`: a "tile" is a cell
  std::int64_t tiles_per_cell = 1;
  std::int64_t cell_px = 1;  ///< side of a cell in the image
};

/// Neighbouring pixels of the image itself, of size `size_px`, that stand for the samples of a
/// block of `preview.image`: as many, if the image is that large. Neighbours fill the vectors of a
/// core.
base::PixelRect sampled_pixels(const Preview& preview, const base::ImageSize& size_px,
                               const base::PixelRect& samples);
/// Samples of such a block.
// crossed by: of_a_deep_image_takes_pixels_of_the_image
inline constexpr std::int64_t kSampleColumns = 4;
inline constexpr std::int64_t kSampleRows = 2;

/// Whether an image of size `size_px` is so large that samples lie in it, in rows and in columns.
bool samples_lie_inside(const Preview& preview, const base::ImageSize& size_px);

/// Makes at most 2^16 cells, so that a terapixel image costs no more than a gigapixel one.
Preview make_preview(const job::ImageSpec& image, const TileGrid& tiles);

/// The cell that contains a tile.
std::int64_t cell_of(const Preview& preview, const TileGrid& tiles, std::int64_t tile);

/// Cost of a pixel besides its orbit steps, in steps: coordinates, shortcuts, storing, encoding.
inline constexpr double kPixelCostSteps = 24;

/// Predicted cost of each tile in orbit steps, from the steps executed in each preview cell.
std::vector<float> predict_costs(const Preview& preview, const TileGrid& tiles,
                                 std::span<const std::uint64_t> executed_per_cell);

}  // namespace tessera::plan
