// tessera plan: predicts time and memory of a render from a preview and a few computed rows.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "binding/device_choice.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/render_command.hpp"
#include "farm/farm.hpp"
#include "plan/file_size.hpp"
#include "post/picture.hpp"
#include "render/memory_plan.hpp"
#include "render/preview.hpp"

namespace tessera::command {
namespace {

/// Number of tiles with timed rows, spread evenly over the tiles in order of cost.
constexpr std::size_t kTimedTiles = 24;
constexpr std::int64_t kTimedRows = 4;

/// Predicted seconds of one lane for all tiles, from their predicted costs and from timed rows of
/// some tiles.
double predict_seconds(binding::Lanes& lanes, const job::ImageSpec& image,
                       const plan::TileGrid& tiles, const std::vector<float>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  base::Bytes buffer(static_cast<std::size_t>(tiles.tile_px * kTimedRows) * sizeof(std::uint32_t));
  double cost = 0;
  double seconds = 0;
  int lane = 0;  // a device may have failed during the preview
  const auto lost = [&](int i) {
    return lanes.devices().lost(lanes.all()[static_cast<std::size_t>(i)].device);
  };
  while (lost(lane) && lane + 1 < lanes.count()) ++lane;
  const std::size_t timed = std::min(kTimedTiles, order.size());
  for (std::size_t i = 0; i < timed; ++i) {
    const std::size_t tile = order[(2 * i + 1) * order.size() / (2 * timed)];
    base::PixelRect rect = tiles.rect(static_cast<std::int64_t>(tile));
    const double share =
        std::min(1.0, static_cast<double>(kTimedRows) / static_cast<double>(rect.height));
    rect.y += (rect.height - std::min(kTimedRows, rect.height)) / 2;
    rect.height = std::min(kTimedRows, rect.height);
    base::Stopwatch watch(seconds);
    lanes[lane].render(image, rect, {buffer.data(), nullptr, tiles.tile_px});
    cost += costs[tile] * share;
  }
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  return cost > 0 ? seconds * total / cost : 0;
}

void print_plan(const comm::World& world, const job::RenderJob& job, const plan::TileGrid& tiles,
                const binding::Lanes& lanes, int all_lanes, double lane_seconds,
                const render::MemoryPlan& memory) {
  const auto bytes = [](std::uint64_t n) { return base::format_bytes(static_cast<double>(n)); };
  const plan::FileSizeRange file = plan::file_size_range(job, tiles);
  fmt::print("image    {} x {} = {} pixels, {} iterations\n", job.image.size_px.width,
             job.image.size_px.height,
             base::format_count(static_cast<double>(job.image.size_px.pixels())),
             job.image.iterations);
  fmt::print("formula  {}\n", job.formula_text);
  fmt::print("tiles    {} x {} = {} of {} px\n", tiles.columns(), tiles.rows(), tiles.count(),
             tiles.tile_px);
  fmt::print("device   {}, {} thread(s) on rank 0, {} on {} rank(s)\n", lanes.devices().names(),
             lanes.count(), all_lanes, world.size());
  fmt::print("time     {} on one thread, {} on all\n", base::format_seconds(lane_seconds),
             base::format_seconds(lane_seconds / all_lanes));
  fmt::print("memory   {} a rank at most (--memory {}): {} tiles, {} queues, {} tables\n",
             bytes(memory.total_bytes()), bytes(job.memory_bytes), bytes(memory.lanes_bytes),
             bytes(memory.queue_bytes), bytes(memory.tables_bytes));
  fmt::print("file     from {} to {}\n", base::format_bytes(file.least_bytes),
             base::format_bytes(file.most_bytes));
}

base::ExitCode plan_render(comm::World& world, const RenderArguments& arguments) {
  job::RenderJob job;
  std::optional<binding::Lanes> lanes;
  render::MemoryPlan memory;
  plan::TileGrid tiles;
  comm::agree(world, [&] {
    job = arguments.make_job();
    if (world.is_root()) post::palette_of(job);
    tiles = {job.image.size_px, job.tile_px};
  });
  const std::string devices = binding::choose_devices(world, job.device, job);
  comm::agree(world, [&] {
    binding::open_chosen(lanes, job.device, devices, job, world);
    memory = render::plan_memory(job, tiles, lanes->count(), world.is_root());
  });
  const int all_lanes = farm::total_lanes(world, lanes->count());
  std::vector<report::ThreadReport> threads;
  const auto costs = render::preview_costs(world, *lanes, job.image, tiles, {}, {}, false, threads);
  if (world.is_root()) {
    const double lane_seconds = predict_seconds(*lanes, job.image, tiles, costs);
    print_plan(world, job, tiles, *lanes, all_lanes, lane_seconds, memory);
  }
  return base::ExitCode::done;
}

}  // namespace

void add_plan(Syntax& syntax, Action& action) {
  const auto arguments = add_render_arguments(syntax);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) { return plan_render(world, *arguments); };
  });
}

}  // namespace tessera::command
