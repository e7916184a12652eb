// tessera plan: predicts time and memory of a render from a preview and a few computed rows.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "binding/device_choice.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "command/command_line.hpp"
#include "command/render_command.hpp"
#include "command/scaling.hpp"
#include "farm/farm.hpp"
#include "job/image/default_iterations.hpp"
#include "plan/file_size.hpp"
#include "post/color/image_outputs.hpp"
#include "render/file_sink.hpp"
#include "render/memory_plan.hpp"
#include "render/preview.hpp"
#include "render/reference.hpp"
#include "render/tile_rates.hpp"
#include "render/tile_size.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {
namespace {

/// The options of render that change a plan. The others are taken too, so that a command of render
/// can be planned as it is.
constexpr std::array<std::string_view, 30> kPlanning = {
    "height", "matrix",     "rotate",   "stretch",       "mirror", "view",
    "from",   "region",     "formula",  "center",        "width",  "zoom",
    "size",   "iterations", "bailout",  "arithmetic",    "exact",  "interior",
    "fields", "tile",       "compress", "output",        "png",    "supersample",
    "device", "threads",    "memory",   "device-memory", "json",   "writers"};

/// The time and memory of a render.
struct Prediction {
  int ranks = 1;
  int lanes = 0;  ///< lanes of the gather rank
  int all_lanes = 0;
  bool tile_of_file = false;     ///< `auto` keeps the tile of an earlier run
  std::string devices;           ///< devices of the gather rank
  std::optional<double> lane_s;  ///< seconds of one lane for all tiles, if it can be measured
  double reference_s = 0;        ///< for the reference orbit and its table
  render::MemoryPlan memory;
  std::vector<render::DeviceMemoryPlan> device_memory;  ///< device memory of the gather rank
  std::vector<ScaledRun> scaled;                        ///< of --ranks
};

std::string reference_text(const Prediction& plan, const job::RenderJob& job) {
  const render::ReferenceFacts facts = render::reference_facts(job);
  const auto bytes = [](std::uint64_t n) { return base::format_bytes(static_cast<double>(n)); };
  std::string text =
      fmt::format("orbit    {} of {}{}, {}, {}", base::count_of(facts.iterations, "iteration"),
                  base::count_of(facts.bits, "bit"), facts.escaped ? ", escaped" : "",
                  base::format_seconds(plan.reference_s), bytes(plan.memory.reference_bytes));
  if (plan.memory.all_uncertain_bytes > 0) {
    text += fmt::format("; for uncertain pixels {}", bytes(plan.memory.all_uncertain_bytes));
  }
  if (plan.memory.uncertain_bytes < plan.memory.all_uncertain_bytes) {
    text += fmt::format(", and there is room for {}", bytes(plan.memory.uncertain_bytes));
  }
  return text + "\n";
}

/// Whether the iterations are default_iterations() of a width that is small.
bool by_depth(const job::RenderJob& job) {
  return job.iterations_from == job::IterationsFrom::depth &&
         job.image.iterations > job::kFirstIterations;
}

std::string text_of(const Prediction& plan, const job::RenderJob& job,
                    const plan::TileGrid& tiles) {
  const auto bytes = [](std::uint64_t n) { return base::format_bytes(static_cast<double>(n)); };
  const plan::FileSizeRange file = plan::file_size_range(job, tiles);
  const base::ImageSize size = job.image.size_px;
  std::string text = fmt::format("image    {} x {} = {} pixels, {}{}\n", size.width, size.height,
                                 base::format_count(static_cast<double>(size.pixels())),
                                 base::count_of(job.image.iterations, "iteration"),
                                 by_depth(job) ? " by depth" : "");
  text += fmt::format("formula  {}\n", job.formula_text);
  if (job.image.deep()) text += reference_text(plan, job);
  text += fmt::format("tiles    {} x {} = {} of {} px{}\n", tiles.columns(), tiles.rows(),
                      tiles.count(), tiles.tile_px, plan.tile_of_file ? ", as in its file" : "");
  text += fmt::format("device   {}, {} on rank 0, {} on {}\n", plan.devices,
                      base::count_of(plan.lanes, "thread"), plan.all_lanes,
                      base::count_of(plan.ranks, "rank"));
  text += plan.lane_s
              ? fmt::format("time     {} on one thread, {} on all\n",
                            base::format_seconds(*plan.lane_s),
                            base::format_seconds(*plan.lane_s / plan.all_lanes))
              : "time     unknown: the run ends at a pixel that is uncertain, if there is one\n";
  text += fmt::format("memory   {} a rank at most (--memory {}): {} tiles, {} queues, {} tables\n",
                      bytes(plan.memory.total_bytes()), bytes(job.memory_bytes),
                      bytes(plan.memory.lanes_bytes), bytes(plan.memory.queue_bytes),
                      bytes(plan.memory.tables_bytes));
  const std::string limit =
      job.device_memory_bytes == 0
          ? ""
          : fmt::format(" (--device-memory {})", bytes(job.device_memory_bytes));
  for (const render::DeviceMemoryPlan& device : plan.device_memory) {
    const std::uint64_t of_lanes = device.bytes - device.table_bytes;
    text += fmt::format("{:<8} {} at most{}: {} of {}{}\n", device.device, bytes(device.bytes),
                        limit, base::count_of(device.lanes, "lane"),
                        bytes(of_lanes / static_cast<std::uint64_t>(device.lanes)),
                        device.table_bytes == 0
                            ? ""
                            : fmt::format(", a jump table of {}", bytes(device.table_bytes)));
  }
  if (!job.defaults.empty()) text += fmt::format("defaults {}\n", job.defaults);
  text += fmt::format("file     from {} to {}\n", base::format_bytes(file.min_bytes),
                      base::format_bytes(file.max_bytes));
  return plan.scaled.empty() ? text : text + scaling_text(plan.scaled, plan.reference_s);
}

std::string json_of(const Prediction& plan, const job::RenderJob& job,
                    const plan::TileGrid& tiles) {
  const plan::FileSizeRange file = plan::file_size_range(job, tiles);
  report::Json json = report::document("plan");
  json["job"] = report::texts_json(job::describe(job));
  if (job.image.deep()) {
    const render::ReferenceFacts facts = render::reference_facts(job);
    json["reference_iterations"] = facts.iterations;
    json["reference_bits"] = facts.bits;
    json["reference_s"] = plan.reference_s;
    json["reference_memory_bytes"] = plan.memory.reference_bytes;
    json["uncertain_memory_bytes"] = plan.memory.uncertain_bytes;
    json["all_uncertain_memory_bytes"] = plan.memory.all_uncertain_bytes;
  }
  if (!job.defaults.empty()) json["defaults"] = job.defaults;
  json["pixels"] = job.image.size_px.pixels();
  json["tiles"] = tiles.count();
  json["tile_columns"] = tiles.columns();
  json["tile_rows"] = tiles.rows();
  json["tile_of_file"] = plan.tile_of_file;
  json["device"] = plan.devices;
  json["ranks"] = plan.ranks;
  json["workers"] = plan.lanes;
  json["all_workers"] = plan.all_lanes;
  json["one_worker_s"] = plan.lane_s ? report::Json(*plan.lane_s) : report::Json();
  json["all_workers_s"] =
      plan.lane_s ? report::Json(*plan.lane_s / plan.all_lanes) : report::Json();
  json["memory_bytes"] = plan.memory.total_bytes();
  json["tiles_memory_bytes"] = plan.memory.lanes_bytes;
  json["queues_memory_bytes"] = plan.memory.queue_bytes;
  json["tables_memory_bytes"] = plan.memory.tables_bytes;
  json["device_memory"] = report::Json::array();
  for (const render::DeviceMemoryPlan& device : plan.device_memory) {
    json["device_memory"].push_back(
        {{"device", device.device}, {"lanes", device.lanes}, {"most_bytes", device.bytes}});
    if (device.table_bytes > 0) json["device_memory"].back()["table_bytes"] = device.table_bytes;
  }
  json["least_file_bytes"] = file.min_bytes;
  json["most_file_bytes"] = file.max_bytes;
  if (!plan.scaled.empty()) json["simulated"] = scaling_json(plan.scaled, plan.reference_s);
  return report::dump(json);
}

base::ExitCode plan_render(comm::World& world, const RenderArguments& arguments,
                           const ScalingOptions& scaling) {
  job::RenderJob job = arguments.make_job(world);
  std::optional<binding::Lanes> lanes;
  Prediction plan{.ranks = world.size()};
  plan::TileGrid tiles;
  comm::agree(world, [&] {
    if (job.frames == 0) return;
    throw base::usage_error(
        "--frames: tessera plan is for one image; without --frames, for the last one");
  });
  post::OutputsOnDisk disk;
  const post::TakenOver from = render::look_at_files(world, job, disk);
  plan.tile_of_file = from.tile_px > 0;
  job = post::adapted(std::move(job), {.iterations = from.iterations, .tile_px = from.tile_px});
  {
    base::Stopwatch watch(plan.reference_s);
    render::prepare_reference(world, job, "plan", "");
  }
  const auto devices = binding::choose_devices(world, job.device, job);
  comm::agree(world, [&] { binding::open_chosen(lanes, job.device, devices, job, world); });
  const bool open_tile = job.tile_auto && job.share.whole();
  job = render::with_tile_for(world, *lanes, std::move(job));
  const auto plan_memory = [&] {
    tiles = {job.image.size_px, job.tile_px};
    comm::agree(world, [&] {
      plan.memory = render::plan_memory(job, tiles, *lanes, world.is_root());
      plan.device_memory = render::plan_device_memory(job, tiles, *lanes);
    });
  };
  plan_memory();
  plan.lanes = lanes->working();
  plan.all_lanes = farm::total_lanes(world, plan.lanes);
  if (!comm::all_reduce(world, int{plan.memory.stops_at_uncertain}, std::bit_or<>())) {
    std::vector<report::ThreadReport> threads;
    std::optional<render::Previewed> preview;
    if (open_tile) preview = render::shrink_slow_tile(world, *lanes, job, {}, threads);
    plan_memory();
    if (!preview) {
      preview = render::preview_costs(world, *lanes, job.image, tiles, {}, {}, false, threads);
    }
    if (world.is_root()) {
      const render::TileRates rates = render::measure_tiles(*lanes, job, tiles, preview->costs);
      plan.lane_s = rates.lane_s;
      plan.scaled = simulate_ranks({.costs = preview->costs,
                                    .lane_s = rates.lane_s,
                                    .lanes = plan.lanes,
                                    .tile_bytes = rates.tile_bytes,
                                    .writers = job.writers,
                                    .rows = tiles.rows()},
                                   scaling);
      const std::string warning =
          render::one_color(preview->samples, job.image.iterations, "sampled point");
      if (!warning.empty() && !job.quiet) base::log("plan: {}", warning);
    }
  }
  if (world.is_root()) {
    plan.devices = lanes->devices().names();
    fmt::print("{}", job.json ? json_of(plan, job, tiles) : text_of(plan, job, tiles));
  }
  return base::ExitCode::done;
}

}  // namespace

void add_plan(Syntax& syntax, Action& action) {
  const auto arguments = add_render_arguments(syntax, kPlanning);
  const auto scaling = std::make_shared<ScalingOptions>();
  syntax.add_option({"ranks", "N[,N...]",
                     "simulate the run with so many ranks, each with the threads of this one",
                     scope_title(job::Scope::run),
                     [scaling](const std::string& text) { scaling->ranks = parse_ranks(text); }});
  syntax.add_option({"disk", "SIZE", "for --ranks: bytes a second that the file system takes [1G]",
                     scope_title(job::Scope::run), [scaling](const std::string& text) {
                       scaling->disk_bytes_per_s = base::parse_bytes(text, "--disk");
                       if (scaling->disk_bytes_per_s > 0) return;
                       throw base::usage_error("--disk {}: is more than 0", text);
                     }});
  set_action(syntax, action, [arguments, scaling](run::Context& context) {
    return plan_render(context.world, *arguments, *scaling);
  });
}

}  // namespace tessera::command
