#include "render/render.hpp"

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "binding/device_choice.hpp"
#include "binding/placement_report.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "device/select/registry.hpp"
#include "farm/farm.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/phases.hpp"
#include "farm/thread_reports.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/options.hpp"
#include "job/values.hpp"
#include "plan/schedule.hpp"
#include "plan/share.hpp"
#include "post/color/image_outputs.hpp"
#include "post/color/picture.hpp"
#include "render/memory_plan.hpp"
#include "render/orbit_cache.hpp"
#include "render/picture.hpp"
#include "render/preview.hpp"
#include "render/reference.hpp"
#include "render/tile_size.hpp"
#include "render/tile_work.hpp"
#include "store/image/formats.hpp"
#include "store/image/header.hpp"

namespace tessera::render {
namespace {

std::vector<store::TimingRow> timing_rows(const std::vector<report::RankReport>& ranks) {
  std::vector<store::TimingRow> rows;
  for (const report::RankReport& rank : ranks) {
    for (std::size_t stage = 0; stage < report::kStages; ++stage) {
      rows.push_back({rank.rank, rank.host, std::string(report::kStageNames[stage]), rank.workers(),
                      rank.seconds(static_cast<report::Stage>(stage))});
    }
  }
  return rows;
}

/// The unfinished output file and the tiles that it held before; used on the gather rank.
struct Output {
  std::unique_ptr<store::ImageWriter> writer;
  store::Leftover found;
  std::map<int, StoredCounts> stored;
  plan::Repeats repeats;
  std::vector<bool> done;  ///< tiles that are stored already, or that another job renders (--share)
};

Output open_output(const job::RenderJob& job, const plan::TileGrid& tiles,
                   const store::FoundImage& before) {
  const bool fresh = before.what != store::FoundImage::What::unfinished;
  const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  Output output;
  output.writer =
      fresh ? store::create_image(job.output, store::make_header(job), replace)
            : store::resume_image(job.output, store::make_header(job), output.found, replace);
  output.done = output.found.stored;
  output.done.resize(static_cast<std::size_t>(tiles.count()));
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    if (!plan::in_share(job.share, tiles, tile)) output.done[static_cast<std::size_t>(tile)] = true;
  }
  if (fresh || job.quiet) return output;
  const store::Leftover& found = output.found;
  base::log("render: resuming {}: {} stored{}{}", before.at, base::count_are(found.tiles, "tile"),
            found.damaged > 0 ? fmt::format(", {} more {} damaged", found.damaged,
                                            found.damaged == 1 ? "was" : "were")
                              : "",
            found.copied ? "; HDF5's index does not have them all, so they were copied" : "");
  return output;
}

/// Calls open_output(). If another run has finished the image in the meantime, updates `before` and
/// leaves output.writer null.
void open_output_or_look_again(const job::RenderJob& job, const plan::TileGrid& tiles,
                               store::FoundImage& before, Output& output) {
  try {
    output = open_output(job, tiles, before);
  } catch (const base::NameTaken&) {
    before = post::check_render_outputs(job, tiles);
    if (before.what != store::FoundImage::What::complete) throw;
  }
}

/// Renders the tiles; the gather rank writes them to the .part file through `output`.
std::vector<report::ThreadReport> render_tiles(comm::World& world, const job::RenderJob& job,
                                               const plan::TileGrid& tiles, RenderWork& work,
                                               std::vector<float> costs,
                                               const farm::FarmLimits& limits,
                                               const Sequence* sequence, Output& output) {
  std::optional<TileSink> sink;
  if (output.writer)
    sink.emplace(*output.writer, tiles, std::chrono::seconds(job.checkpoint_s), limits.live);
  farm::FarmResult result =
      farm::run(world, {.work = work,
                        .sink = sink ? &*sink : nullptr,
                        .costs = std::move(costs),
                        .order = plan::Order::dearest_first,
                        .finished = output.done,
                        .label = sequence ? sequence->label : "render",
                        .item = "tile",
                        .following = sequence ? sequence->following : farm::Following{},
                        .quiet = job.quiet,
                        .limits = limits});
  if (sink) output.stored = sink->stored();
  output.repeats = result.repeats;
  return std::move(result.threads);
}

/// The time, and how many pixels of a deep image f64 left open, if this run computed all of them.
store::Attributes closing_attributes(const job::RenderJob& job, const Output& output,
                                     base::Clock::time_point begun) {
  const double elapsed_s = base::seconds_between(begun, base::Clock::now());
  store::Attributes closing = {
      {"wall_s", fmt::format("{:.6f}", elapsed_s), store::Attribute::Type::real}};
  if (!job.image.deep() || output.found.tiles > 0) return closing;
  std::uint64_t uncertain = 0;
  for (const auto& [rank, stored] : output.stored) uncertain += stored.uncertain.all;
  closing.push_back(
      {"uncertain_pixels", std::to_string(uncertain), store::Attribute::Type::integer});
  return closing;
}

/// Does its work; a job that is refused leaves no orbit behind, but for one of an earlier run.
void without_leftovers(const comm::World& world, const job::RenderJob& job,
                       const std::function<void()>& work) {
  const std::string orbit = orbit_path(job.output);
  const bool found = base::exists(orbit);
  try {
    work();
  } catch (const base::Error& error) {
    const bool refused = error.code() == base::ExitCode::usage;
    if (world.is_root() && refused && !found) remove_orbit(orbit);
    throw;
  }
}

/// The report without spans: small enough to be gathered before the file is safely on the disk.
report::RankReport without_spans(report::RankReport report) {
  for (report::ThreadReport& thread : report.threads) thread.spans.clear();
  return report;
}

report::RunReport describe_run(const comm::World& world, const job::RenderJob& job,
                               std::vector<report::RankReport> ranks) {
  report::RunReport run{.command = "render", .version = base::version_and_commit()};
  run.ranks = std::move(ranks);
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  run.job = job::describe(job);
  run.counts = job::counts_text(job.image);
  const bool finished = std::filesystem::exists(job.output);
  const std::string file = finished ? job.output : base::part_path(job.output);
  if (!job.picture_only) run.outputs.emplace_back("h5", file);
  if (!job.png.empty()) run.outputs.emplace_back("png", job.png);
  run.output_bytes = std::filesystem::file_size(job.picture_only ? job.png : file);
  return run;
}

/// A place whose iterations were left out is one dark square. Returns whether it is.
bool say_if_none_escaped(const job::RenderJob& job, const report::RunReport& run) {
  const auto pixels = static_cast<std::uint64_t>(job.image.size_px.pixels());
  const std::uint64_t limit = job.image.iterations;
  const report::RankReport all = report::totals(run.ranks);
  const bool is_known = limit <= std::numeric_limits<std::uint64_t>::max() / pixels;
  if (job.quiet || all.pixels != pixels || !is_known || all.iterations != pixels * limit)
    return false;
  base::log(
      "render: {}: no point escaped within {} iterations, so all pixels have one colour: "
      "give more, such as --iterations {}; or all of them are inside the set",
      job.picture_only ? job.png : job.output, limit,
      10 * std::min(limit, job::kMostIterations / 10));
  return true;
}

/// For a file that is complete already: makes the picture if it is missing.
report::RunReport report_finished(comm::World& world, const job::RenderJob& job,
                                  const plan::TileGrid& tiles) {
  if (world.is_root() && !job.quiet) {
    base::log("render: {} is complete already", job.picture_only ? job.png : job.output);
  }
  if (world.is_root()) remove_orbit(orbit_path(job.output));
  report::RankReport mine{.threads = make_picture(world, job, true)};
  auto ranks = farm::gather_reports(world, std::move(mine));
  if (!world.is_root()) return {};
  report::RunReport run = describe_run(world, job, std::move(ranks));
  run.found_complete = true;
  run.found_tiles = tiles.count();
  return run;
}

/// Collective. Opens the devices of the job, unless an image before this one has.
void open_lanes(comm::World& world, const job::RenderJob& job, farm::Phases& phases,
                std::optional<binding::Lanes>& lanes) {
  if (lanes) return;
  phases.enter(report::Phase::find_devices, "looks for devices");
  const auto devices =
      binding::choose_devices(world, job.device, job, binding::Joining::under_auto);
  phases.enter(report::Phase::open_devices, "opens " + devices.list);
  comm::agree(world, [&] { binding::open_chosen(lanes, job.device, devices, job, world); });
}

report::RunReport render_image(comm::World& world, const job::RenderJob& asked,
                               report::LiveRun* live, Sequence* sequence) {
  job::RenderJob job = adapt_to_file(world, with_tile_of_file(world, asked));
  plan::TileGrid tiles{job.image.size_px, job.tile_px};
  std::optional<binding::Lanes> own_lanes;
  std::optional<binding::Lanes>& lanes = sequence ? sequence->lanes : own_lanes;
  const bool opened_before = lanes.has_value();
  const auto begun = sequence ? base::Clock::now() : world.origin();
  farm::FarmLimits limits{.trace = job.records_spans(), .live = live};
  farm::Phases phases(world, "render", job.quiet, limits.trace, live);
  if (!opened_before) phases.enter(report::Phase::start);
  if (job.max_s > 0) limits.until = base::later(world.origin(), job.max_s);
  store::FoundImage before;
  bool complete = false;
  comm::agree(world, [&] {
    device::parse_device_list(job.device);  // checked even if no device is needed
    if (world.is_root()) post::palette_of(job);
    if (world.is_root()) before = post::check_render_outputs(job, tiles);
    if (!job.png.empty()) check_picture(job, tiles);
    if (world.is_root()) complete = is_complete(job, before);
    if (world.is_root()) base::pause_if_ordered("output.checked");
  });
  if (comm::broadcast_value(world, complete)) return report_finished(world, job, tiles);
  open_lanes(world, job, phases, lanes);
  if (job.image.deep()) phases.enter(report::Phase::reference);
  const job::RenderJob deepest = sequence ? sequence->deepest : job;
  without_leftovers(world, deepest, [&] {
    prepare_reference(world, job, "render", orbit_path(deepest.output), deepest);
    job = with_tile_for(world, *lanes, std::move(job));
    tiles.tile_px = job.tile_px;
    if (live) live->set_grid({tiles.columns(), tiles.rows(), tiles.tile_px, tiles.tile_px});
    comm::agree(world, [&] {
      const MemoryPlan memory = plan_memory(job, tiles, *lanes, world.is_root());
      limits.outbox_bytes = limits.inbox_bytes = static_cast<std::size_t>(memory.queue_bytes / 3);
      plan_device_memory(job, tiles, *lanes);
    });
  });

  if (!opened_before) binding::show_placement(world, *lanes, job.quiet);
  report::RankReport mine{.device = lanes->devices().names()};
  Output output;
  phases.enter(report::Phase::open_file, "opens " + job.output);
  comm::agree(world, [&] {
    if (world.is_root()) open_output_or_look_again(job, tiles, before, output);
  });
  if (comm::broadcast_value(world, before.what == store::FoundImage::What::complete)) {
    return report_finished(world, job, tiles);
  }
  {
    RenderWork work(job, tiles, *lanes, world);
    phases.enter(report::Phase::plan);
    try {
      auto costs = preview_costs(world, *lanes, job.image, tiles, output.done, limits, job.quiet,
                                 mine.threads);
      phases.leave();
      farm::merge_threads(mine.threads, render_tiles(world, job, tiles, work, std::move(costs),
                                                     limits, sequence, output));
    } catch (const comm::AgreedError& error) {
      if (error.code() != base::ExitCode::stopped) throw;
      throw comm::AgreedError(error.code(),
                              fmt::format("{}; run the same command to resume", error.what()));
    }
    if (!sequence) lanes->devices().end_joining();
    mine.device = lanes->devices().names();
    mine.executed = work.executed();
    mine.lost = lanes->devices().losses();
    mine.restarted = lanes->devices().restarts();
    mine.openings = lanes->devices().openings();
    mine.device_memory =
        binding::device_memory(lanes->devices(), lanes->all(),
                               [](const auto& open) { return open.lane->peak_memory_bytes(); });
  }
  phases.enter(report::Phase::close_file, "closes " + job.output);
  const auto rendered =
      farm::gather_reports(world, without_spans(farm::with_phases(mine, phases.report())));
  comm::agree(world, [&] {
    const store::Attributes closing = closing_attributes(job, output, begun);
    if (output.writer && !job.share.whole()) {  // the file stays unfinished, as input of merge
      output.writer->end_share(job::format_share(job.share));
    } else if (output.writer) {
      output.writer->finish(timing_rows(rendered), closing);
    }
    output.writer.reset();
    if (world.is_root()) remove_orbit(orbit_path(job.output));
  });
  phases.leave();

  farm::merge_threads(mine.threads, make_picture(world, job, job.picture_only));
  auto ranks = farm::gather_reports(world, farm::with_phases(std::move(mine), phases.report()));
  if (!world.is_root()) return {};
  farm::put_counts(ranks, output.stored, world,
                   [](report::RankReport& rank, const StoredCounts& stored) {
                     rank.tiles = stored.tiles;
                     rank.pixels = stored.pixels;
                     rank.iterations = stored.iterations;
                     rank.uncertain = stored.uncertain;
                     rank.bytes = stored.bytes;
                   });
  report::RunReport run = describe_run(world, job, std::move(ranks));
  run.in_flight = farm::in_flight_of(world, output.repeats);
  run.found_tiles = output.found.tiles;
  run.damaged_tiles = output.found.damaged;
  if (!sequence) say_if_none_escaped(job, run);
  if (sequence && !sequence->told) sequence->told = say_if_none_escaped(job, run);
  return run;
}

}  // namespace

report::RunReport render(run::Context& context, const job::RenderJob& asked,
                         report::LiveRun* live) {
  const base::RunScope scope(context.run);
  return render_image(context.world, asked, live, nullptr);
}

report::RunReport render(comm::World& world, const job::RenderJob& asked, report::LiveRun* live,
                         Sequence& sequence) {
  return render_image(world, asked, live, &sequence);
}

}  // namespace tessera::render
