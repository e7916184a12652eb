#include "render/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "deep/memory.hpp"
#include "deep/prepared.hpp"
#include "job/image/options.hpp"
#include "job/memory.hpp"
#include "plan/tile_choice.hpp"
#include "render/reference.hpp"
#include "render/tile_work.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLaneScratchBytes = 2 * kMiB;
/// plan::Schedule: cost, order and state of a tile, memory for sorting the order, and whether the
/// tile has arrived.
constexpr std::uint64_t kScheduleBytesPerTile = 4 + 4 + 1 + 2 + 1;
/// HDF5's index of chunks is cached up to a bound (store/image/hdf5/writer.cpp).
constexpr std::uint64_t kIndexBytesPerChunk = 18;
constexpr std::uint64_t kMaxIndexCache = 128 * kMiB;
constexpr std::uint64_t kMaxQueue = 256 * kMiB;

using deep::MoreBits;
/// The most that there is room for is taken.
constexpr std::array kTablesOfMoreBits{MoreBits::all, MoreBits::precise, MoreBits::none};

std::shared_ptr<const deep::DeepImage> image_of(const job::RenderJob& job) {
  return job.image.deep() ? deep::prepared(place_of(job)) : nullptr;
}

/// The plan with the shortest queues that are sufficient, and these tables for uncertain pixels.
MemoryPlan plan_least(const job::RenderJob& job, const plan::TileGrid& tiles, int lanes,
                      bool gather_rank, MoreBits more_bits = MoreBits::none) {
  const auto threads = static_cast<std::uint64_t>(lanes);
  MemoryPlan plan;
  plan.program_bytes = job::kProgramBytes + job::kImageFileBytes + threads * kLaneScratchBytes;
  if (const auto image = image_of(job)) {
    plan.reference_bytes = deep::held_bytes(*image);
    plan.uncertain_bytes = deep::bytes_of(*image, more_bits);
    plan.all_uncertain_bytes = deep::bytes_of(*image, MoreBits::all);
    plan.stops_at_uncertain = plan.uncertain_bytes < plan.all_uncertain_bytes &&
                              (image->place.smooth || more_bits == MoreBits::none);
  }
  plan.lanes_bytes = threads * RenderWork::lane_memory_bytes(job, tiles);
  if (gather_rank) {
    const auto count = static_cast<std::uint64_t>(tiles.count());
    plan.tables_bytes = count * kScheduleBytesPerTile +
                        std::min(kMaxIndexCache, count * job.fields.size() * kIndexBytesPerChunk);
  }

  std::uint64_t largest_tile = 0;
  for (const job::Field field : job.fields) {
    largest_tile += static_cast<std::uint64_t>(tiles.chunk_px().pixels()) *
                    base::element_bytes(job::field_type(job.image, field));
  }
  plan.queue_bytes = job::kCopiesOnTheWay * std::max(largest_tile, 4 * kMiB);
  return plan;
}

/// Text with the values of --tile and --threads that fit into --memory, each changed alone. Both
/// directions of --tile are tried: large tiles need large buffers, small tiles need large tables.
std::string other_ways(const job::RenderJob& job, std::int64_t tile_px, int lanes,
                       bool gather_rank) {
  const auto fits = [&](std::int64_t tile, int threads) {
    const plan::TileGrid tiles{job.image.size_px, static_cast<int>(tile)};
    return tiles.count() <= store::kMaxTiles &&
           plan_least(job, tiles, threads, gather_rank).total_bytes() <= job.memory_bytes;
  };
  std::string text;
  for (std::int64_t factor = 2; factor <= job::kLargestTilePx && text.empty(); factor *= 2) {
    for (const std::int64_t tile : {tile_px / factor, tile_px * factor}) {
      if (tile < 1 || tile > job::kLargestTilePx || !text.empty() || !fits(tile, lanes)) continue;
      text = fmt::format(", or --tile {}", tile);
    }
  }
  for (int threads = lanes - 1; threads >= 1; --threads) {
    if (fits(tile_px, threads)) return text + fmt::format(", or --threads {}", threads);
  }
  return text;
}

}  // namespace

int largest_tile_px(const job::RenderJob& job, int lanes, bool gather_rank) {
  for (const MoreBits more_bits : kTablesOfMoreBits) {
    for (int tile_px = plan::kLargestAutoTilePx; tile_px >= plan::kDefaultTilePx; tile_px /= 2) {
      const plan::TileGrid tiles{job.image.size_px, tile_px};
      const MemoryPlan plan = plan_least(job, tiles, lanes, gather_rank, more_bits);
      if (plan.total_bytes() <= job.memory_bytes) return tile_px;
    }
  }
  return 0;
}

MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles, int lanes,
                       bool gather_rank) {
  if (tiles.count() > store::kMaxTiles) {  // no --memory can change this
    throw base::usage_error("--tile {}: more than {} tiles of {} x {} pixels; give larger ones",
                            tiles.tile_px, store::kMaxTiles, job.image.size_px.width,
                            job.image.size_px.height);
  }
  MemoryPlan plan;
  for (const MoreBits more_bits : kTablesOfMoreBits) {
    plan = plan_least(job, tiles, lanes, gather_rank, more_bits);
    if (plan.total_bytes() <= job.memory_bytes) break;
  }
  const std::uint64_t least = plan.total_bytes();
  if (least > job.memory_bytes) {
    const auto [given, needed] = base::format_different_bytes(static_cast<double>(job.memory_bytes),
                                                              static_cast<double>(least));
    throw base::usage_error(
        "--memory {}: tiles of {} px on {}{} need {} a rank; give more "
        "memory{}",
        given, tiles.tile_px, base::count_of(lanes, "thread"),
        plan.reference_bytes > 0 ? " and the reference orbit" : "", needed,
        other_ways(job, tiles.tile_px, lanes, gather_rank));
  }
  plan.queue_bytes = std::clamp(job.memory_bytes - (least - plan.queue_bytes), plan.queue_bytes,
                                std::max(kMaxQueue, plan.queue_bytes));
  if (const auto image = image_of(job)) image->precise->limit_bytes(plan.uncertain_bytes);
  return plan;
}

MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles,
                       binding::Lanes& lanes, bool gather_rank) {
  if (lanes.max_working() > lanes.working()) {
    try {
      return plan_memory(job, tiles, lanes.max_working(), gather_rank);
    } catch (const base::Error&) {
      lanes.devices().end_joining("--memory has no room for its tiles");
    }
  }
  return plan_memory(job, tiles, lanes.working(), gather_rank);
}

std::vector<DeviceMemoryPlan> plan_device_memory(const job::RenderJob& job,
                                                 const plan::TileGrid& tiles,
                                                 const binding::Lanes& lanes) {
  const job::MoreFields fields = job::more_fields(job.fields);
  std::vector<DeviceMemoryPlan> plans;
  for (int i = 0; i < lanes.devices().count(); ++i) {
    if (lanes.devices().opening(i)) continue;
    const device::Device& device = lanes.devices()[i];
    const auto open = std::ranges::count(lanes.all(), i, &binding::Lanes::OpenLane::device);
    const std::uint64_t each = device.lane_memory_bytes(job.image, tiles.chunk_px(), fields);
    if (each == 0 || open == 0) continue;
    const std::uint64_t table = device.shared_memory_bytes(job.image, fields);
    const std::uint64_t most = each * static_cast<std::uint64_t>(open) + table;
    const std::uint64_t limit = job.device_memory_bytes;
    plans.push_back({device.info().name, static_cast<int>(open),
                     limit == 0 ? most : std::min(most, limit), table});
  }
  return plans;
}

}  // namespace tessera::render
