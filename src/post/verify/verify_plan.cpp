#include "post/verify/verify_plan.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
#include "deep/memory.hpp"
#include "deep/prepared.hpp"
#include "device/pixels/deep_block.hpp"
#include "job/memory.hpp"
#include "job/values.hpp"
#include "post/job_of_file.hpp"
#include "post/verify/definition_sample.hpp"

namespace tessera::post {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
/// Checksum, sum and state here; in plan::Schedule cost, order (with memory for sorting) and state.
constexpr std::uint64_t kTableBytesPerComparedTile = (4 + 8 + 1) + (4 + 4 + 4 + 1);
/// The list of sampled tiles, and its copy in a message.
constexpr std::uint64_t kTableBytesPerSampledTile = 4 + 4;

std::uint64_t lane_bytes(const job::RenderJob& job, const plan::TileGrid& tiles) {
  const base::ImageSize chunk = tiles.chunk_px();
  // Stored bytes, values, scratch memory of the decoder, and the sampled rows.
  const std::int64_t pixels = 3 * chunk.pixels() + kSampledRows * chunk.width;
  std::uint64_t bytes = 0;
  for (const job::Field field : job.fields) {
    bytes +=
        static_cast<std::uint64_t>(pixels) * base::element_bytes(job::field_type(job.image, field));
  }
  return bytes;
}

/// Memory of the reference orbit and its tables, which the sample needs. Makes the orbit, and lets
/// the tables for uncertain pixels take what fits into `most` bytes.
std::uint64_t reference_bytes(const job::RenderJob& job, std::uint64_t most) {
  if (!job.image.deep()) return 0;
  const auto image = deep::prepared(device::deep_place(job.image, job::more_fields(job.fields)));
  const std::uint64_t held = deep::held_bytes(*image);
  for (const auto tables : {deep::MoreBits::all, deep::MoreBits::precise, deep::MoreBits::none}) {
    const std::uint64_t bytes = deep::bytes_of(*image, tables);
    image->precise->limit_bytes(bytes);
    if (held + bytes <= most) return held + bytes;
  }
  return held;
}

int lanes_that_fit(const job::VerifyJob& request, const job::RenderJob& job,
                   const plan::TileGrid& tiles) {
  // Larger than any real file: keeps the products below from overflowing for a damaged file.
  const auto all = static_cast<std::uint64_t>(std::min(tiles.count(), std::int64_t{1} << 40));
  const std::uint64_t sampled = std::min(all, static_cast<std::uint64_t>(request.sample));
  const std::uint64_t lane = lane_bytes(job, tiles);
  std::uint64_t fixed = job::kProgramBytes + job::kImageFileBytes +
                        all * kTableBytesPerComparedTile + sampled * kTableBytesPerSampledTile;
  if (sampled > 0) {
    fixed +=
        reference_bytes(job, request.memory_bytes - std::min(request.memory_bytes, fixed + lane));
  }
  if (fixed + lane > request.memory_bytes) {
    throw base::usage_error("--memory {}: {} of {} px on one thread need {}; give at least that",
                            job::format_memory(request.memory_bytes),
                            base::count_of(static_cast<std::int64_t>(all), "tile"), tiles.tile_px,
                            job::format_memory((fixed + lane + kMiB - 1) / kMiB * kMiB));
  }
  return static_cast<int>(std::min<std::uint64_t>((request.memory_bytes - fixed) / lane,
                                                  std::numeric_limits<int>::max()));
}

void read_table(VerifyPlan& plan, const store::ImageReader& reader, const std::string& path) {
  const auto count = static_cast<std::size_t>(plan.tiles.count());
  plan.checksums.resize(count);
  plan.iterations.resize(count);
  plan.states.resize(count, TileState::absent);
  std::size_t rows = 0;
  reader.for_each_tile([&](const store::TileRow& row) {
    const std::size_t i = rows++;
    if (i >= count || row.rank < 0) return;
    const auto tile = static_cast<std::int64_t>(i);
    const bool in_place =
        row.row == plan.tiles.row_of(tile) && row.column == plan.tiles.column_of(tile);
    plan.states[i] = in_place ? TileState::stored : TileState::misplaced;
    plan.checksums[i] = row.checksum;
    plan.iterations[i] = row.iterations;
    plan.by_reference |= row.device.starts_with("reference");
  });
  if (rows != count) {
    throw base::run_error("{}: /tiles has {}, and the image has {}", path,
                          base::count_of(static_cast<std::int64_t>(rows), "row"),
                          base::count_of(plan.tiles.count(), "tile"));
  }
}

}  // namespace

std::int64_t VerifyPlan::middle_tile() const {
  if (!job.image.deep()) return -1;
  const PixelPlace middle = middle_pixel(tiles.size_px);
  return middle.row / tiles.tile_px * tiles.columns() + middle.column / tiles.tile_px;
}

base::PixelRect VerifyPlan::sampled_rows(std::int64_t tile) const {
  base::PixelRect rows = tiles.rect(tile);
  const std::int64_t last = std::max<std::int64_t>(0, rows.height - kSampledRows);
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(tile));
  std::int64_t first = std::uniform_int_distribution<std::int64_t>(0, last)(random);
  if (tile == middle_tile()) {
    const std::int64_t middle = middle_pixel(tiles.size_px).row - rows.y;
    first = std::clamp(first, std::max<std::int64_t>(0, middle + 1 - kSampledRows), middle);
  }
  rows.y += first;
  rows.height = std::min(kSampledRows, rows.height);
  return rows;
}

VerifyPlan plan_verification(const store::ImageReader& reader, const job::VerifyJob& request) {
  VerifyPlan plan{.job = job_of(reader, request.input),
                  .complete = reader.attribute("status") == "complete",
                  .seed = request.seed};
  plan.tiles = {plan.job.image.size_px, plan.job.tile_px};
  // Before read_table(), so that a usage error comes before the tables are allocated.
  plan.max_lanes = lanes_that_fit(request, plan.job, plan.tiles);
  read_table(plan, reader, request.input);
  return plan;
}

/// Selection sampling: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
std::vector<std::uint32_t> choose_sample(const VerifyPlan& plan, std::int64_t count) {
  std::int64_t left = std::ranges::count(plan.states, TileState::stored);
  std::mt19937_64 random(plan.seed);
  std::vector<std::uint32_t> chosen;
  chosen.reserve(static_cast<std::size_t>(std::min(left, count)));
  for (std::size_t tile = 0; tile < plan.states.size() && count > 0; ++tile) {
    if (plan.states[tile] != TileState::stored) continue;
    if (std::uniform_int_distribution<std::int64_t>(1, left--)(random) > count) continue;
    chosen.push_back(static_cast<std::uint32_t>(tile));
    --count;
  }
  const auto middle = static_cast<std::uint32_t>(plan.middle_tile());
  const auto place = std::ranges::lower_bound(chosen, middle);
  const bool is_stored =
      middle < plan.states.size() && plan.states[middle] == TileState::stored && !chosen.empty();
  if (is_stored && (place == chosen.end() || *place != middle)) chosen.insert(place, middle);
  return chosen;
}

void mark_sample(VerifyPlan& plan, std::span<const std::uint32_t> tiles) {
  for (const std::uint32_t tile : tiles) {
    if (tile >= plan.states.size()) continue;
    if (plan.states[tile] == TileState::stored) plan.states[tile] = TileState::sampled;
  }
}

}  // namespace tessera::post
