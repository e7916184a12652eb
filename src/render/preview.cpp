#include "render/preview.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "binding/device_work.hpp"
#include "binding/render_lanes.hpp"
#include "device/select/assignment.hpp"
#include "farm/thread_reports.hpp"
#include "plan/preview.hpp"

namespace tessera::render {
namespace {

/// An item is a row of preview cells; its result is the number of steps executed in each cell.
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

  std::vector<std::uint64_t> sample_row(std::int64_t row, int lane) {
    const plan::TileGrid& cells = preview_.cells;
    std::vector<std::uint64_t> executed;
    for (std::int64_t column = 0; column < cells.columns(); ++column) {
      if (!is_requested(row, column)) {
        executed.push_back(0);
        continue;
      }
      if (image_.deep()) {
        executed.push_back(sample_deep_cell(row, column, lane));
        continue;
      }
      const device::BlockBuffers out{.iterations = buffers_[static_cast<std::size_t>(lane)].data(),
                                     .stride_px = cells.tile_px};
      const base::PixelRect rect = cells.rect(row * cells.columns() + column);
      executed.push_back(lanes_[lane].render(preview_.image, rect, out).executed);
    }
    return executed;
  }

 private:
  /// Pixels of the image itself: an image of other pixels would need an orbit of its own.
  std::uint64_t sample_deep_cell(std::int64_t row, std::int64_t column, int lane) {
    std::byte* const counts = buffers_[static_cast<std::size_t>(lane)].data();
    const base::PixelRect cell = preview_.cells.rect(row * preview_.cells.columns() + column);
    std::uint64_t executed = 0;
    for (std::int64_t y = 0; y < cell.height; y += plan::kSampleRows) {
      for (std::int64_t x = 0; x < cell.width; x += plan::kSampleColumns) {
        const base::PixelRect samples{cell.x + x, cell.y + y,
                                      std::min(plan::kSampleColumns, cell.width - x),
                                      std::min(plan::kSampleRows, cell.height - y)};
        const auto pixels = plan::sampled_pixels(preview_, image_.size_px, samples);
        executed += lanes_[lane].render(image_, pixels, {counts, nullptr, pixels.width}).executed;
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
      const std::vector<std::uint64_t> executed = sample_row(row, lane);
      return base::ByteWriter().put_bytes(std::as_bytes(std::span(executed))).take();
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
    std::uint64_t* const row = &executed_[static_cast<std::size_t>(result_chunk.item) * columns_];
    std::memcpy(row, result_chunk.body.data(), columns_ * sizeof(std::uint64_t));
  }
  const std::vector<std::uint64_t>& executed() const { return executed_; }

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> executed_;
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

}  // namespace

std::vector<float> preview_costs(comm::World& world, binding::Lanes& lanes,
                                 const job::ImageSpec& image, const plan::TileGrid& tiles,
                                 const std::vector<bool>& done, const farm::FarmLimits& limits,
                                 bool quiet, std::vector<report::ThreadReport>& threads) {
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
  return plan::predict_costs(preview, tiles, sink.executed());
}

}  // namespace tessera::render
