#include "run/memory_plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "run/render_work.hpp"

namespace tessera::run {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
/// Resident before the first tile: 20 to 60 MiB under Open MPI 4.1.
constexpr std::uint64_t kProgramBytes = 96 * kMiB;
constexpr std::uint64_t kLaneScratchBytes = 2 * kMiB;
/// Costs, order and state in plan::Schedule, what sorting the order takes, and which are answered.
constexpr std::uint64_t kScheduleBytesPerTile = 4 + 4 + 1 + 2 + 1;
/// HDF5's index of chunks is cached up to a bound (store/image_writer.cpp).
constexpr std::uint64_t kIndexBytesPerChunk = 18;
constexpr std::uint64_t kMostIndexCache = 128 * kMiB;
/// A queue is filled, packed into a message and received: thrice the largest tile at least.
constexpr std::uint64_t kCopiesOnTheWay = 3;
constexpr std::uint64_t kMostQueue = 256 * kMiB;

}  // namespace

MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles, int lanes,
                       bool gather_rank) {
  const auto threads = static_cast<std::uint64_t>(lanes);
  const std::uint64_t lane_bytes = RenderWork::lane_memory_bytes(job, tiles);
  MemoryPlan plan;
  plan.program_bytes = kProgramBytes + threads * kLaneScratchBytes;
  plan.lanes_bytes = threads * lane_bytes;
  if (gather_rank) {
    const auto count = static_cast<std::uint64_t>(tiles.count());
    plan.tables_bytes = count * kScheduleBytesPerTile +
                        std::min(kMostIndexCache, count * job.fields.size() * kIndexBytesPerChunk);
  }

  std::uint64_t largest_tile = 0;
  for (const job::Field field : job.fields) {
    largest_tile += static_cast<std::uint64_t>(tiles.chunk_px().pixels()) *
                    base::element_bytes(job::field_type(job.image, field));
  }
  const std::uint64_t least_queue = kCopiesOnTheWay * std::max(largest_tile, 4 * kMiB);
  const std::uint64_t least = plan.total_bytes() + least_queue;
  if (least > job.memory_bytes) {
    throw base::usage_error(
        "--memory {}: tiles of {} px on {} threads need {} a rank; give more memory, or a smaller "
        "--tile or --threads",
        base::format_bytes(static_cast<double>(job.memory_bytes)), tiles.tile_px, lanes,
        base::format_bytes(static_cast<double>(least)));
  }
  plan.queue_bytes = std::clamp(job.memory_bytes - plan.total_bytes(), least_queue,
                                std::max(kMostQueue, least_queue));
  return plan;
}

}  // namespace tessera::run
