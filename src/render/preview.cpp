#include "render/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "base/fault.hpp"
#include "base/saturated_sum.hpp"
#include "binding/device_work.hpp"
#include "binding/render_lanes.hpp"
#include "comm/all_reduce.hpp"
#include "comm/broadcast_value.hpp"
#include "device/select/assignment.hpp"
#include "farm/thread_reports.hpp"
#include "plan/preview.hpp"
#include "plan/tile_choice.hpp"

namespace tessera::render {
namespace {

/// An item is a row of preview cells; its result is RowCounts and the number of steps executed in
/// each cell.
struct RowCounts {
  std::uint64_t samples = 0;
  std::uint64_t iterations = 0;

  void add(const base::PixelRect& pixels, const device::BlockCounts& counts) {
    samples += static_cast<std::uint64_t>(pixels.pixels());
    iterations = base::saturated_sum(iterations, counts.iterations);
  }
};

class PreviewWork : public binding::DeviceWork {
 public:
  /// `requested`: for each cell, whether it is sampled.
  PreviewWork(const job::ImageSpec& image, const plan::Preview& preview, base::Bytes requested,
              binding::Lanes& lanes)
      : binding::DeviceWork(lanes.devices()),
        lanes_(lanes),
        image_(image),
        preview_(preview),
        requested_(std::move(requested)) {
    const std::int64_t samples = std::max(preview.cells.tile_px * preview.cells.tile_px,
                                          plan::kSampleColumns * plan::kSampleRows);
    set_lanes(lanes.all());
    cores_only_ = lanes.devices().late() >= 0;
    buffers_.resize(static_cast<std::size_t>(lanes.count()),
                    base::Bytes(static_cast<std::size_t>(samples) * sizeof(std::uint64_t)));
  }

  /// A device that joins meanwhile has no part in it.
  bool lane_lost(int lane) const override {
    return (cores_only_ && device_of_lane(lane) == late_device()) || DeviceWork::lane_lost(lane);
  }
  report::Stage part_stage() const override { return report::Stage::plan; }
  report::Stage finish_stage() const override { return report::Stage::plan; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int lane) override;

  bool is_requested(std::int64_t row, std::int64_t column) const {
    return requested_[static_cast<std::size_t>(row * preview_.cells.columns() + column)] !=
           std::byte{0};
  }
  bool is_requested(std::int64_t row) const {
    std::int64_t column = 0;
    while (column < preview_.cells.columns() && !is_requested(row, column)) ++column;
    return column < preview_.cells.columns();
  }

  base::Bytes sample_row(std::int64_t row, int lane) {
    const plan::TileGrid& cells = preview_.cells;
    RowCounts all;
    std::vector<std::uint64_t> executed;
    for (std::int64_t column = 0; column < cells.columns(); ++column) {
      if (!is_requested(row, column)) {
        executed.push_back(0);
        continue;
      }
      if (image_.deep()) {
        executed.push_back(sample_deep_cell(row, column, lane, all));
        continue;
      }
      const device::BlockBuffers out{.iterations = buffers_[static_cast<std::size_t>(lane)].data(),
                                     .stride_px = cells.tile_px};
      const base::PixelRect rect = cells.rect(row * cells.columns() + column);
      const device::BlockCounts counts = lanes_[lane].render(preview_.image, rect, out);
      all.add(rect, counts);
      executed.push_back(counts.executed);
    }
    return base::ByteWriter().put(all).put_bytes(std::as_bytes(std::span(executed))).take();
  }

 private:
  /// Pixels of the image itself: an image of other pixels would need an orbit of its own.
  std::uint64_t sample_deep_cell(std::int64_t row, std::int64_t column, int lane, RowCounts& all) {
    std::byte* const buffer = buffers_[static_cast<std::size_t>(lane)].data();
    const base::PixelRect cell = preview_.cells.rect(row * preview_.cells.columns() + column);
    std::uint64_t executed = 0;
    for (std::int64_t y = 0; y < cell.height; y += plan::kSampleRows) {
      for (std::int64_t x = 0; x < cell.width; x += plan::kSampleColumns) {
        const base::PixelRect samples{cell.x + x, cell.y + y,
                                      std::min(plan::kSampleColumns, cell.width - x),
                                      std::min(plan::kSampleRows, cell.height - y)};
        const auto pixels = plan::sampled_pixels(preview_, image_.size_px, samples);
        const device::BlockCounts counts =
            lanes_[lane].render(image_, pixels, {buffer, nullptr, pixels.width});
        all.add(pixels, counts);
        executed += counts.executed;
      }
    }
    return executed;
  }

  binding::Lanes& lanes_;
  const job::ImageSpec& image_;
  const plan::Preview& preview_;
  base::Bytes requested_;
  bool cores_only_ = false;
  std::vector<base::Bytes> buffers_;
};

std::unique_ptr<farm::Task> PreviewWork::begin(std::int64_t item, int) {
  using Result = std::optional<base::Bytes>;
  return std::make_unique<farm::OnePartTask>(item, [this](std::int64_t row, int lane) -> Result {
    try {
      return sample_row(row, lane);
    } catch (const device::Interrupted&) {  // the run is to stop
      return std::nullopt;
    }
  });
}

class PreviewSink : public farm::Sink {
 public:
  explicit PreviewSink(const plan::TileGrid& cells)
      : columns_(static_cast<std::size_t>(cells.columns())),
        executed_(static_cast<std::size_t>(cells.count())) {}

  void put(farm::ResultChunk result_chunk) override {
    base::ByteReader in(result_chunk.body);
    const auto row = in.get<RowCounts>();
    all_.samples += row.samples;
    all_.iterations = base::saturated_sum(all_.iterations, row.iterations);
    std::uint64_t* const first = &executed_[static_cast<std::size_t>(result_chunk.item) * columns_];
    const auto executed = in.get_bytes(columns_ * sizeof(std::uint64_t));
    std::memcpy(first, executed.data(), executed.size());
  }
  const std::vector<std::uint64_t>& executed() const { return executed_; }
  const RowCounts& all() const { return all_; }

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> executed_;
  RowCounts all_;
};

/// Renames the threads of the CPU cores, which are not the worker threads of the devices.
void rename_workers(std::vector<report::ThreadReport>& reports) {
  for (report::ThreadReport& thread : reports) {
    if (!thread.worker) continue;
    thread.name.insert(0, "preview ");
    thread.worker = false;
  }
}

/// For each cell, 1 if one of its tiles still has to be rendered, else 0.
base::Bytes requested_cells(const plan::Preview& preview, const plan::TileGrid& tiles,
                            const std::vector<bool>& done) {
  const auto cells = static_cast<std::size_t>(preview.cells.count());
  if (done.empty()) return base::Bytes(cells, std::byte{1});
  base::Bytes requested(cells, std::byte{0});
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    if (!done[static_cast<std::size_t>(tile)]) {
      requested[static_cast<std::size_t>(plan::cell_of(preview, tiles, tile))] = std::byte{1};
    }
  }
  return requested;
}

double dearest(const std::vector<float>& costs) {
  return static_cast<double>(*std::ranges::max_element(costs));
}

/// "10k"
std::string tenfold(std::uint64_t iterations) {
  const std::uint64_t more = 10 * std::min(iterations, job::kMaxIterations / 10);
  return more % 1000 == 0 ? fmt::format("{}k", more / 1000) : std::to_string(more);
}

}  // namespace

Previewed preview_costs(comm::World& world, binding::Lanes& lanes, const job::ImageSpec& image,
                        const plan::TileGrid& tiles, const std::vector<bool>& done,
                        const farm::FarmLimits& limits, bool quiet,
                        std::vector<report::ThreadReport>& threads) {
  const plan::Preview preview = plan::make_preview(image, tiles);
  // A preview has many blocks of a few pixels, and a GPU would need one launch per block.
  std::optional<binding::Lanes> cores;
  if (lanes.want_whole_tiles())
    cores.emplace(binding::ChosenDevices{std::string(device::kCores)}, lanes.run(), world);
  const base::Bytes requested = requested_cells(preview, tiles, done);
  PreviewWork work(image, preview, world.broadcast(requested), cores ? *cores : lanes);
  const std::int64_t rows = preview.cells.rows();
  std::vector<bool> finished;
  for (std::int64_t row = 0; row < rows; ++row) finished.push_back(!work.is_requested(row));
  PreviewSink sink(preview.cells);
  auto reports =
      farm::run(world, {.work = work,
                        .sink = world.is_root() ? &sink : nullptr,
                        .costs = std::vector<float>(static_cast<std::size_t>(rows), 1.0F),
                        .finished = std::move(finished),
                        .label = "plan",
                        .item = "sample row",
                        .quiet = quiet,
                        .limits = limits})
          .threads;
  if (cores) rename_workers(reports);
  farm::merge_threads(threads, std::move(reports));
  if (!world.is_root()) return {};
  const std::vector<std::uint64_t>& executed = sink.executed();
  Previewed previewed{.costs = plan::predict_costs(preview, tiles, executed),
                      .preview = preview,
                      .executed = executed};
  if (plan::samples_lie_inside(preview, image.size_px)) {
    previewed.samples = {
        .points = sink.all().samples,
        .iterations = sink.all().iterations,
        .executed = std::accumulate(executed.begin(), executed.end(), std::uint64_t{0})};
  }
  return previewed;
}

std::optional<Previewed> shrink_slow_tile(comm::World& world, binding::Lanes& lanes,
                                          job::RenderJob& job, const farm::FarmLimits& limits,
                                          std::vector<report::ThreadReport>& threads) {
  const bool has_gpu = lanes.want_whole_tiles() || lanes.devices().late() >= 0;
  if (comm::all_reduce(world, int{has_gpu}, std::bit_or<>()) != 0) return std::nullopt;
  plan::TileGrid tiles{job.image.size_px, job.tile_px};
  Previewed previewed =
      preview_costs(world, lanes, job.image, tiles, {}, limits, job.quiet, threads);
  int tile_px = job.tile_px;
  if (world.is_root())
    tile_px = plan::quick_tile_px(tile_px, dearest(previewed.costs), job.image.deep());
  tile_px = comm::broadcast_value(world, tile_px);
  if (tile_px == job.tile_px) return previewed;
  previewed.preview.tiles_per_cell *= job.tile_px / tile_px;
  job.tile_px = tile_px;
  tiles.tile_px = tile_px;
  if (world.is_root()) {
    previewed.costs = plan::predict_costs(previewed.preview, tiles, previewed.executed);
  }
  return previewed;
}

std::optional<Previewed> leave_to_gpus(comm::World& world, binding::Lanes& lanes,
                                       const job::RenderJob& job, const farm::FarmLimits& limits,
                                       std::vector<report::ThreadReport>& threads) {
  binding::RankDevices& devices = lanes.devices();
  const bool able = job.image.deep() && devices.late() >= 0;
  if (comm::all_reduce(world, int{able}, std::bit_and<>()) == 0) return std::nullopt;
  const plan::TileGrid tiles{job.image.size_px, job.tile_px};
  Previewed previewed =
      preview_costs(world, lanes, job.image, tiles, {}, limits, job.quiet, threads);
  const auto is_core = [&](const auto& lane) { return lane.device != devices.late(); };
  const auto mine = static_cast<int>(std::ranges::count_if(lanes.all(), is_core));
  const int cores = comm::all_reduce(world, mine, std::plus<>());
  bool dear = base::fault("render.dear");
  if (world.is_root()) {
    const double steps = std::accumulate(previewed.costs.begin(), previewed.costs.end(), 0.0);
    dear = dear || plan::is_dear_for_cores(steps, cores);
  }
  constexpr double kOpeningSeconds = 2;
  const bool fast = comm::broadcast_value(world, dear) && devices.has_fast_gpu(kOpeningSeconds);
  devices.let_others_rest(comm::all_reduce(world, int{fast}, std::bit_and<>()) != 0);
  return previewed;
}

std::vector<float> joined_costs(const std::vector<float>& costs, const plan::TileGrid& before,
                                const plan::TileGrid& tiles) {
  std::vector<float> joined(static_cast<std::size_t>(tiles.count()));
  const std::int64_t side = tiles.tile_px / before.tile_px;
  for (std::int64_t tile = 0; tile < before.count(); ++tile) {
    const std::int64_t row = before.row_of(tile) / side, column = before.column_of(tile) / side;
    joined[static_cast<std::size_t>(row * tiles.columns() + column)] +=
        costs[static_cast<std::size_t>(tile)];
  }
  return joined;
}

std::string one_color(const PointCounts& counts, std::uint64_t limit, std::string_view what) {
  constexpr std::string_view kWhere = "so the picture has one colour; is --center right?";
  if (counts.points == 0 || limit > std::numeric_limits<std::uint64_t>::max() / counts.points) {
    return "";
  }
  if (counts.iterations == counts.points) {
    return fmt::format("all {}s escape at once, far outside the set, {}", what, kWhere);
  }
  if (counts.iterations != counts.points * limit) return "";
  // Others need all their steps.
  const bool inside = counts.executed < counts.iterations / 2;
  if (inside) return fmt::format("all {}s are inside the set, {}", what, kWhere);
  return fmt::format(
      "no {} escapes within {} iterations, so the picture has one colour; give more, such as "
      "--iterations {}",
      what, limit, tenfold(limit));
}

}  // namespace tessera::render
