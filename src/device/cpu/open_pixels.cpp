#include "device/cpu/open_pixels.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "device/cpu/cpu_target.hpp"

namespace tessera::device::cpu {
namespace {

/// A block is cut into bands that have room in a Workspace.
struct Bands {
  const base::PixelRect& block;
  std::int64_t width = std::min<std::int64_t>(block.width, kBandPixels);
  std::int64_t height = std::max<std::int64_t>(static_cast<std::int64_t>(kBandPixels) / width, 1);

  std::pair<std::int64_t, std::int64_t> band_of(const OpenPixel& pixel) const {
    return {pixel.at / block.width / height, pixel.at % block.width / width};
  }
  base::PixelRect rect(const std::pair<std::int64_t, std::int64_t>& band) const {
    const std::int64_t row = band.first * height, column = band.second * width;
    return {block.x + column, block.y + row, std::min(width, block.width - column),
            std::min(height, block.height - row)};
  }
};

/// The same pixels by their places in the band.
std::vector<OpenPixel> within(const base::PixelRect& rect, const base::PixelRect& block,
                              std::span<const OpenPixel> pixels) {
  std::vector<OpenPixel> moved(pixels.begin(), pixels.end());
  for (OpenPixel& pixel : moved) {
    const std::int64_t column = block.x + pixel.at % block.width - rect.x;
    const std::int64_t row = block.y + pixel.at / block.width - rect.y;
    pixel.at = static_cast<std::uint32_t>(row * rect.width + column);
  }
  return moved;
}

}  // namespace

BlockCounts finish_open(const ExactWork& work, const base::PixelRect& block,
                        std::span<OpenPixel> pixels, const std::function<bool()>& unwanted) {
  const RenderBand render = cpu_targets().front().pixels.render[work.image.formula.id];
  const auto memory = std::make_unique<Workspace>();
  memory->unwanted = unwanted;
  const Bands bands{block};
  std::ranges::stable_sort(pixels, {},
                           [&](const OpenPixel& pixel) { return bands.band_of(pixel); });
  BlockCounts counts;
  for (auto first = pixels.begin(); first != pixels.end();) {
    const auto band = bands.band_of(*first);
    const auto last = std::find_if(
        first, pixels.end(), [&](const OpenPixel& pixel) { return bands.band_of(pixel) != band; });
    const base::PixelRect rect = bands.rect(band);
    std::vector<OpenPixel> moved = within(rect, block, {first, last});
    counts += render({.image = work.image,
                      .rect = rect,
                      .shortcuts = work.shortcuts,
                      .open = {moved, work.fields, &work.exact}},
                     *memory);
    if (memory->is_unwanted()) throw Interrupted();
    for (const OpenPixel& pixel : moved) (first++)->value = pixel.value;
  }
  return counts;
}

}  // namespace tessera::device::cpu
