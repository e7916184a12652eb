#include "render/tile_rates.hpp"

#include <algorithm>
#include <numeric>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "codec/chunk.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "plan/file_size.hpp"
#include "plan/writer_choice.hpp"

namespace tessera::render {
namespace {

/// Number of tiles with timed rows, spread evenly over the tiles in order of cost.
constexpr std::size_t kTimedTiles = 24;
constexpr std::int64_t kTimedRows = 4;

std::vector<std::size_t> by_cost(const std::vector<float>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  return order;
}

/// A device may have failed during the preview.
int working_lane(const binding::Lanes& lanes) {
  int lane = 0;
  while (lane + 1 < lanes.count() &&
         lanes.devices().lost(lanes.all()[static_cast<std::size_t>(lane)].device)) {
    ++lane;
  }
  return lane;
}

/// Rows in the middle of a tile.
base::PixelRect timed_rows(const plan::TileGrid& tiles, std::size_t tile) {
  base::PixelRect rect = tiles.rect(static_cast<std::int64_t>(tile));
  const std::int64_t rows = std::min(kTimedRows, rect.height);
  rect.y += (rect.height - rows) / 2;
  rect.height = rows;
  return rect;
}

/// The part of their bytes that the file needs for what was computed.
class StoredPart {
 public:
  explicit StoredPart(const job::RenderJob& job)
      : encoder_(job::field_type(job.image, job::Field::iterations), job.compress) {}

  void add(std::span<const std::byte> raw) {
    raw_ += raw.size();
    stored_ += encoder_.encode(raw).bytes.size();
  }
  double value() const {
    return raw_ > 0 ? static_cast<double>(stored_) / static_cast<double>(raw_) : 1;
  }

 private:
  codec::ChunkEncoder encoder_;
  std::size_t raw_ = 0;
  std::size_t stored_ = 0;
};

}  // namespace

TileRates measure_tiles(binding::Lanes& lanes, const job::RenderJob& job,
                        const plan::TileGrid& tiles, const std::vector<float>& costs) {
  const std::vector<std::size_t> order = by_cost(costs);
  const auto count_bytes = base::element_bytes(job::field_type(job.image, job::Field::iterations));
  base::Bytes buffer(static_cast<std::size_t>(tiles.tile_px * kTimedRows) * sizeof(std::uint64_t));
  StoredPart stored(job);
  double cost = 0;
  double seconds = 0;
  const int lane = working_lane(lanes);
  const std::size_t timed = std::min(kTimedTiles, order.size());
  for (std::size_t i = 0; i < timed; ++i) {
    const std::size_t tile = order[(2 * i + 1) * order.size() / (2 * timed)];
    const base::PixelRect rect = timed_rows(tiles, tile);
    {
      base::Stopwatch watch(seconds);
      lanes[lane].render(job.image, rect, {buffer.data(), nullptr, rect.width});
    }
    stored.add(std::span(buffer).first(static_cast<std::size_t>(rect.pixels()) * count_bytes));
    cost += costs[tile] * static_cast<double>(rect.height) /
            static_cast<double>(tiles.rect(static_cast<std::int64_t>(tile)).height);
  }
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double most_bytes = plan::file_size_range(job, tiles).max_bytes;
  return {.lane_s = cost > 0 ? seconds * total / cost : 0,
          .tile_bytes = stored.value() * most_bytes / static_cast<double>(tiles.count())};
}

std::int64_t most_writers(comm::World& world, const job::RenderJob& job,
                          const plan::TileGrid& tiles) {
  if (job.picture_only || !job.share.whole() || !job.pool.empty()) return 1;
  return std::min<std::int64_t>(comm::broadcast_value(world, world.nodes()), tiles.rows());
}

int writers_that_keep_up(comm::World& world, binding::Lanes& lanes, const job::RenderJob& job,
                         const plan::TileGrid& tiles, const std::vector<float>& costs,
                         std::int64_t most) {
  int writers = 1;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    const TileRates rates = measure_tiles(lanes, job, tiles, costs);
    const double workers = static_cast<double>(lanes.working()) * world.size();
    const double store_s = plan::store_seconds(rates.tile_bytes, plan::kDiskBytesPerSecond);
    writers = plan::auto_writers(rates.lane_s / workers,
                                 store_s * static_cast<double>(tiles.count()), most);
  });
  return comm::broadcast_value(world, writers);
}

}  // namespace tessera::render
