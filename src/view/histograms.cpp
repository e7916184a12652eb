#include "view/histograms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace tessera::view {

std::shared_ptr<const Histogram> Histograms::of(const OpenImage& image, job::Field field) {
  const auto entry =
      entries_.get({image.generation(), field}, [] { return std::make_shared<Entry>(); });
  const std::scoped_lock lock(entry->mutex);
  const std::int64_t more = image.tiles_done() - entry->tiles_done;
  const bool has_grown = image.complete() || more < 0 || 4 * more >= entry->tiles_done;
  if (!entry->histogram || (entry->version != image.version() && has_grown)) {
    entry->histogram = count(image, field);
    entry->version = image.version();
    entry->tiles_done = image.tiles_done();
  }
  return entry->histogram;
}

std::shared_ptr<const Histogram> Histograms::count(const OpenImage& image, job::Field field) {
  color::ValueRange range(image.job().image.iterations);
  color::StepCounts counts = counts_of(image, field, range);
  range.least = counts.coarse_least();
  if (range.least > 0) counts = counts_of(image, field, range);
  const std::uint64_t number =
      base::fnv1a(fmt::format("{} {}", image.version(), job::field_name(field)));
  return std::make_shared<const Histogram>(
      Histogram{std::max<std::uint64_t>(number, 1), range, std::move(counts)});
}

color::StepCounts Histograms::counts_of(const OpenImage& image, job::Field field,
                                        color::ValueRange range) {
  color::StepCounts counts(range);
  const plan::TileGrid& grid = image.grid();
  const base::ElementType type = image.chunks(field).type();
  const auto stride = static_cast<std::size_t>(grid.chunk_px().width);
  std::int64_t step = (grid.size_px.pixels() + max_pixels_ - 1) / max_pixels_;
  while (std::gcd(step, grid.columns()) != 1) ++step;  // in all columns
  for (std::int64_t tile = 0; tile < grid.count(); tile += step) {
    ChunkCache::Pointer values;
    try {
      values = tiles_.chunk(image, field, tile);
    } catch (const base::Error&) {  // damaged
    }
    if (!values) continue;
    const base::PixelRect rect = grid.rect(tile);
    for (std::int64_t y = 0; y < rect.height; ++y) {
      counts.add(values->data() + static_cast<std::size_t>(y) * stride * base::element_bytes(type),
                 type, static_cast<std::size_t>(rect.width));
    }
  }
  return counts;
}

}  // namespace tessera::view
