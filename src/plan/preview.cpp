#include "plan/preview.hpp"

#include <algorithm>

namespace tessera::plan {
namespace {

// crossed by: of_more_than_65536_tiles_has_several_in_a_cell
constexpr std::int64_t kMaxCells = std::int64_t{1} << 16;
constexpr std::int64_t kFinelySampledCells = 4096;

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

Preview make_preview(const job::ImageSpec& image, const TileGrid& tiles) {
  Preview preview;
  while (divide_up(tiles.columns(), preview.tiles_per_cell) *
             divide_up(tiles.rows(), preview.tiles_per_cell) >
         kMaxCells) {
    preview.tiles_per_cell *= 2;
  }
  const std::int64_t columns = divide_up(tiles.columns(), preview.tiles_per_cell);
  const std::int64_t rows = divide_up(tiles.rows(), preview.tiles_per_cell);
  const std::int64_t cell_px = preview.tiles_per_cell * tiles.tile_px;
  const bool finely = columns * rows <= kFinelySampledCells && !image.deep();
  const std::int64_t finest = finely ? 16 : 8;
  const std::int64_t samples = std::min(finest, cell_px);

  // The cells extend beyond the right and lower edge of the image; the preview's centre moves
  // accordingly.
  const double step = image.step();
  const double over_x = static_cast<double>(columns * cell_px - image.size_px.width);
  const double over_y = static_cast<double>(rows * cell_px - image.size_px.height);
  preview.image = image;
  preview.image.size_px = {columns * samples, rows * samples};
  preview.image.width = static_cast<double>(columns * cell_px) * step;
  const plane::Matrix& m = image.matrix;
  preview.image.center_re += (m.a * over_x - m.b * over_y) / 2 * step;
  preview.image.center_im += (m.c * over_x - m.d * over_y) / 2 * step;
  preview.cell_px = cell_px;
  preview.cells = {preview.image.size_px, samples};
  return preview;
}

base::PixelRect sampled_pixels(const Preview& preview, const base::ImageSize& size_px,
                               const base::PixelRect& samples) {
  const std::int64_t in_cell = preview.cells.tile_px;
  const std::int64_t width = std::min(samples.width, size_px.width);
  const std::int64_t height = std::min(samples.height, size_px.height);
  const auto first = [&](std::int64_t sample, std::int64_t count, std::int64_t pixels) {
    const std::int64_t middle = (2 * sample + count) * preview.cell_px / (2 * in_cell);
    return std::clamp(middle - count / 2, std::int64_t{0}, pixels - count);
  };
  return {first(samples.x, width, size_px.width), first(samples.y, height, size_px.height), width,
          height};
}

bool samples_lie_inside(const Preview& preview, const base::ImageSize& size_px) {
  if (preview.image.deep()) return true;  // sampled_pixels()
  const std::int64_t second = 3 * preview.cell_px / (2 * preview.cells.tile_px);
  return second < std::min(size_px.width, size_px.height);
}

std::int64_t cell_of(const Preview& preview, const TileGrid& tiles, std::int64_t tile) {
  return tiles.row_of(tile) / preview.tiles_per_cell * preview.cells.columns() +
         tiles.column_of(tile) / preview.tiles_per_cell;
}

std::vector<float> predict_costs(const Preview& preview, const TileGrid& tiles,
                                 std::span<const std::uint64_t> executed_per_cell) {
  const double samples = static_cast<double>(preview.cells.tile_px * preview.cells.tile_px);
  std::vector<float> costs(static_cast<std::size_t>(tiles.count()));
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    const std::int64_t cell = cell_of(preview, tiles, tile);
    const double steps =
        static_cast<double>(executed_per_cell[static_cast<std::size_t>(cell)]) / samples;
    const double pixels = static_cast<double>(tiles.rect(tile).pixels());
    costs[static_cast<std::size_t>(tile)] = static_cast<float>((steps + kPixelCostSteps) * pixels);
  }
  return costs;
}

}  // namespace tessera::plan
