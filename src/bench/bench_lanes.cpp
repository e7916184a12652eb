#include "bench/bench_lanes.hpp"

#include <algorithm>
#include <atomic>
#include <span>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "codec/chunk.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::bench {
namespace {

constexpr std::int64_t kTilePx = 512;  ///< default of render --tile
constexpr std::size_t kTileBytes = std::size_t{kTilePx} * kTilePx * sizeof(std::uint32_t);
/// The arrays of a lane and the used part of its thread's stack.
constexpr std::uint64_t kLaneScratchBytes = std::uint64_t{2} << 20;

/// SplitMix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators (2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return bits ^ bits >> 31;
}

/// The blocks of a picture, one per render call: tiles, or groups of their rows if threads share a
/// tile.
struct Blocks {
  plan::TileGrid tiles;
  std::int64_t rows = 0;

  std::int64_t per_tile() const { return (tiles.chunk_px().height + rows - 1) / rows; }
  std::int64_t count() const { return tiles.count() * per_tile(); }
  /// Empty for the groups beyond the lower edge of a tile that is cut off by the picture.
  base::PixelRect rect(std::int64_t block) const {
    base::PixelRect rect = tiles.rect(block / per_tile());
    const std::int64_t first = std::min(block % per_tile() * rows, rect.height);
    return {rect.x, rect.y + first, rect.width, std::min(rows, rect.height - first)};
  }
};

void fill(std::span<std::byte> tile, base::ElementType type, std::int64_t pixels,
          std::uint32_t value) {
  if (type == base::ElementType::u16) {
    std::fill_n(reinterpret_cast<std::uint16_t*>(tile.data()), pixels,
                static_cast<std::uint16_t>(value));
  } else {
    std::fill_n(reinterpret_cast<std::uint32_t*>(tile.data()), pixels, value);
  }
}

/// A sum over pixel rows of tiles, independent of the order and the height of blocks.
std::uint64_t checksum_of(std::span<const std::byte> tile, base::ElementType type,
                          const base::PixelRect& rect, std::int64_t stride_px) {
  const std::size_t element = base::element_bytes(type);
  std::uint64_t sum = 0;
  for (std::int64_t row = 0; row < rect.height; ++row) {
    const auto counts = tile.subspan(static_cast<std::size_t>(row * stride_px) * element,
                                     static_cast<std::size_t>(rect.width) * element);
    const auto place = static_cast<std::uint64_t>((rect.y + row) << 32 | rect.x);
    sum += mixed(mixed(place) ^ codec::crc32c(counts));
  }
  return sum;
}

}  // namespace

BenchLanes::BenchLanes(const std::string& name, const device::Placement& placement,
                       std::uint64_t memory_bytes, const device::LaneOptions& options) {
  const auto start = base::Clock::now();
  device_ = std::move(device::open_devices(name, placement).front());
  const int requested = device_->lanes();
  const std::uint64_t needed =
      static_cast<std::uint64_t>(requested) * (kTileBytes + kLaneScratchBytes);
  if (needed > memory_bytes) {
    const auto [need, left] = base::format_different_bytes(static_cast<double>(needed),
                                                           static_cast<double>(memory_bytes));
    throw base::usage_error(
        "--memory: {} of {} need {}, {} are left; give more memory, or fewer --threads",
        base::count_of(requested, "lane"), name, need, left);
  }
  for (int lane = 0; lane < requested; ++lane) {
    try {
      auto opened = device_->open_lane(options);
      auto tile = opened->make_host_buffer(kTileBytes);
      lanes_.push_back(std::move(opened));
      tiles_.push_back(std::move(tile));
    } catch (const device::DeviceError&) {
      if (lanes_.empty()) throw;
      break;  // a device with little memory gets fewer lanes
    }
  }
  team_ = std::make_unique<base::ThreadTeam>(count());
  open_s_ = base::seconds_between(start, base::Clock::now());
}

std::uint64_t BenchLanes::memory_bytes() const {
  return lanes_.size() * (kTileBytes + kLaneScratchBytes);
}

PictureSums BenchLanes::render(const job::ImageSpec& image, bool take_checksum) {
  const plan::TileGrid tiles{image.size_px, kTilePx};
  const std::int64_t stride_px = tiles.chunk_px().width;
  const int rows = device_->rows_per_call(stride_px);
  const Blocks blocks{tiles, rows == 0 ? kTilePx : std::min<std::int64_t>(rows, kTilePx)};
  const base::ElementType type = job::iterations_type(image);
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::uint64_t> iterations = 0;
  std::atomic<std::uint64_t> checksum = 0;

  team_->run(count(), [&](int member) {
    const auto lane = static_cast<std::size_t>(member);
    const std::span<std::byte> tile = tiles_[lane]->bytes();
    try {
      for (std::int64_t block = next++; block < blocks.count(); block = next++) {
        const base::PixelRect rect = blocks.rect(block);
        if (rect.height == 0) continue;
        const device::BlockCounts counts =
            lanes_[lane]->render(image, rect, {.iterations = tile.data(), .stride_px = stride_px});
        iterations += counts.iterations;
        if (!take_checksum) continue;
        if (counts.uniform)
          fill(tile, type, stride_px * rect.height, static_cast<std::uint32_t>(*counts.uniform));
        checksum += checksum_of(tile, type, rect, stride_px);
      }
    } catch (...) {
      next = blocks.count();  // stops the other lanes
      throw;
    }
  });
  return {iterations, checksum};
}

}  // namespace tessera::bench
