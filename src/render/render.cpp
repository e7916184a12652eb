#include "render/render.hpp"

#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
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
#include "farm/stopped_run.hpp"
#include "farm/thread_reports.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/options.hpp"
#include "plan/schedule.hpp"
#include "plan/share.hpp"
#include "render/file_sink.hpp"
#include "render/image_parts.hpp"
#include "render/image_sink.hpp"
#include "render/memory_plan.hpp"
#include "render/orbit_cache.hpp"
#include "render/preview.hpp"
#include "render/reference.hpp"
#include "render/remarks.hpp"
#include "render/tile_rates.hpp"
#include "render/tile_size.hpp"
#include "render/tile_work.hpp"

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

/// The tiles of the image; on the gather rank.
struct Tiles {
  store::Leftover found;               ///< stored by an earlier run
  std::vector<bool> done;              ///< found, or left to another job (--share)
  std::int64_t left_out = 0;           ///< those that are left to another job
  std::map<int, StoredCounts> stored;  ///< by this run
  plan::Repeats repeats;
};

std::vector<bool> tiles_to_skip(const job::RenderJob& job, const plan::TileGrid& grid,
                                std::vector<bool> found) {
  found.resize(static_cast<std::size_t>(grid.count()));
  for (std::int64_t tile = 0; tile < grid.count(); ++tile) {
    if (!plan::in_share(job.share, grid, tile)) found[static_cast<std::size_t>(tile)] = true;
  }
  return found;
}

/// The time, and how many pixels of an exact image f64 left open, if this run computed all of them.
store::Attributes closing_attributes(const job::RenderJob& job, const Tiles& tiles, bool knows_all,
                                     base::Clock::time_point begun) {
  const double elapsed_s = base::seconds_between(begun, base::Clock::now());
  store::Attributes closing = {
      {"wall_s", fmt::format("{:.6f}", elapsed_s), store::Attribute::Type::real}};
  if (tiles.found.tiles > 0) {
    closing.push_back(
        {"found_tiles", std::to_string(tiles.found.tiles), store::Attribute::Type::integer});
  }
  if (!job.image.has_place() || tiles.found.tiles > 0 || !knows_all) return closing;
  report::UncertainPixels pixels;
  for (const auto& [rank, stored] : tiles.stored) pixels += stored.uncertain;
  for (const auto& [name, count] :
       {std::pair("uncertain_pixels", pixels.all), {"undecided_pixels", pixels.undecided}}) {
    closing.push_back({name, std::to_string(count), store::Attribute::Type::integer});
  }
  return closing;
}

/// The report without spans: small enough to be gathered before the file is safely on the disk.
report::RankReport without_spans(report::RankReport report) {
  for (report::ThreadReport& thread : report.threads) thread.spans.clear();
  return report;
}

/// A render, stage by stage.
class ImageRun {
 public:
  ImageRun(comm::World& world, const job::RenderJob& asked, ImageSink& sink, report::LiveRun* live,
           Sequence* sequence)
      : world_(world),
        job_(asked),
        sink_(sink),
        parts_(world, sink),
        sequence_(sequence),
        meters_(sequence ? sequence->meters : own_meters_),
        lanes_(sequence ? sequence->lanes : own_lanes_),
        opened_before_(lanes_.has_value()),
        begun_(sequence ? base::Clock::now() : world.origin()),
        limits_{.trace = asked.records_spans(), .live = live},
        phases_(world, "render", asked.quiet, limits_.trace, live) {
    if (!opened_before_) phases_.enter(report::Phase::start);
    if (asked.max_s > 0) limits_.until = base::later(world.origin(), asked.max_s);
  }

  report::RunReport run() {
    try {
      return run_stages();
    } catch (const comm::AgreedError& error) {
      if (error.code() != base::ExitCode::stopped) throw;
      throw farm::StoppedRun(error.what(), report_stopped(error.what()));
    }
  }

 private:
  report::RunReport run_stages() {
    if (is_complete()) return report_complete();
    open_lanes();
    prepare();
    if (!begin()) return report_complete();
    render_tiles();
    end();
    make_picture();
    return report();
  }

  bool is_complete() {
    // The list is checked even if no device is needed.
    comm::agree(world_, [&] { device::parse_device_list(job_.device); });
    return sink_.prepare(world_, job_);
  }

  /// Unless an image before this one has opened them.
  void open_lanes() {
    if (opened_before_) return;
    meters_.emplace(world_);
    phases_.enter(report::Phase::find_devices, "looks for devices");
    const auto devices =
        binding::choose_devices(world_, job_.device, job_, binding::Joining::under_auto);
    phases_.enter(report::Phase::open_devices, "opens " + devices.list);
    comm::agree(world_, [&] {
      binding::open_chosen(lanes_, job_.device, devices, job_, world_);
      lanes_->devices().meter_by(*meters_);
    });
  }

  /// A job that is refused leaves no orbit behind, but for one of an earlier run.
  void prepare() {
    lanes_->devices().let_others_rest(false);  // as they may after the frame before
    if (job_.image.deep()) phases_.enter(report::Phase::reference);
    const job::RenderJob deepest = sequence_ ? sequence_->deepest : job_;
    const std::string orbit = sink_.orbit_file(deepest);
    const bool found = base::exists(orbit);
    try {
      prepare_reference(world_, job_, "render", orbit, deepest);
      const bool open_tile = job_.tile_auto && job_.share.whole();
      plan_tiles();
      comm::agree(world_, [&] { plan_memory(); });
      if (open_tile) look_for_slow_tiles();
      if (job_.writers == job::kAutoWriters) choose_writers();
    } catch (const base::Error& error) {
      const bool refused = error.code() == base::ExitCode::usage;
      if (world_.is_root() && refused && !found) remove_orbit(orbit);
      throw;
    }
    if (!opened_before_) binding::show_placement(world_, *lanes_, job_.quiet);
  }

  void plan_tiles() {
    job_ = with_tile_for(world_, *lanes_, std::move(job_));
    set_grid();
  }

  void set_grid() {
    grid_ = {job_.image.size_px, job_.tile_px};
    if (limits_.live)
      limits_.live->set_grid({grid_.columns(), grid_.rows(), grid_.tile_px, grid_.tile_px});
  }

  void look_for_slow_tiles() {
    phases_.enter(report::Phase::plan);
    const plan::TileGrid before = grid_;
    preview_ = shrink_slow_tile(world_, *lanes_, job_, limits_, mine_.threads);
    if (!preview_) leave_dear_image_to_gpus();
    if (job_.tile_px == before.tile_px) return;
    set_grid();
    comm::agree(world_, [&] { plan_memory(); });
  }

  void leave_dear_image_to_gpus() {
    preview_ = leave_to_gpus(world_, *lanes_, job_, limits_, mine_.threads);
    if (!preview_ || !lanes_->are_of_gpus()) return;
    const plan::TileGrid before = grid_;
    job_.tile_auto = true;
    plan_tiles();
    if (world_.is_root()) preview_->costs = joined_costs(preview_->costs, before, grid_);
  }

  void choose_writers() {
    phases_.enter(report::Phase::plan);
    const std::int64_t most = most_writers(world_, job_, grid_);
    job_.writers = 1;
    if (most < 2) return;
    if (!preview_) {
      preview_ =
          preview_costs(world_, *lanes_, job_.image, grid_, {}, limits_, job_.quiet, mine_.threads);
    }
    job_.writers = writers_that_keep_up(world_, *lanes_, job_, grid_, preview_->costs, most);
    comm::agree(world_, [&] { plan_memory(); });
  }

  void plan_memory() {
    const MemoryPlan memory =
        render::plan_memory(job_, grid_, *lanes_, world_.is_root() || job_.writers > 1);
    limits_.outbox_bytes = limits_.inbox_bytes = static_cast<std::size_t>(memory.queue_bytes / 3);
    plan_device_memory(job_, grid_, *lanes_);
  }

  /// Returns false if another run has completed the image meanwhile.
  bool begin() {
    phases_.enter(report::Phase::open_file, "opens " + sink_.name(job_));
    if (!parts_.begin(job_, grid_, tiles_.found)) return false;
    if (!world_.is_root()) return true;
    tiles_.done = tiles_to_skip(job_, grid_, tiles_.found.stored);
    tiles_.left_out = std::ranges::count(tiles_.done, true) - tiles_.found.tiles;
    return true;
  }

  void render_tiles() {
    mine_.device = lanes_->devices().names();
    RenderWork work(job_, grid_, *lanes_, world_, sink_.can_resume());
    phases_.enter(report::Phase::plan);
    try {
      if (!preview_) {
        preview_ = preview_costs(world_, *lanes_, job_.image, grid_, tiles_.done, limits_,
                                 job_.quiet, mine_.threads);
      }
      phases_.leave();
      warn(*preview_);
      run_farm(work, std::move(preview_->costs));
    } catch (farm::Stopped& stopped) {
      farm::merge_threads(mine_.threads, std::move(stopped.result().threads));
      tiles_.repeats += stopped.result().repeats;
      note_work(work);
      if (!sink_.can_resume()) throw;
      throw comm::AgreedError(stopped.code(),
                              fmt::format("{}; run the same command to resume", stopped.what()));
    }
    note_work(work);
  }

  void note_work(const RenderWork& work) {
    if (!sequence_) lanes_->devices().end_joining();
    mine_.executed = work.executed();
    describe_devices();
  }

  /// Before the time is spent. A zoom begins with a wide image, and says so once.
  void warn(const Previewed& preview) const {
    if (!world_.is_root() || job_.quiet || sequence_ || tiles_.found.tiles > 0) return;
    const std::string text = one_color(preview.samples, job_.image.iterations, "sampled point");
    if (!text.empty()) base::log("render: {}", text);
  }

  void run_farm(RenderWork& work, std::vector<float> costs) {
    const auto sink = parts_.sink(job_, grid_, limits_.live, tiles_.stored);
    farm::FarmResult result =
        farm::run(world_, {.work = work,
                           .sink = sink.get(),
                           .parts = parts_.ranks(),
                           .costs = std::move(costs),
                           .order = plan::Order::dearest_first,
                           .finished = tiles_.done,
                           .left_out = tiles_.left_out,
                           .label = sequence_ ? sequence_->label : "render",
                           .item = "tile",
                           .following = sequence_ ? sequence_->following : farm::Following{},
                           .quiet = job_.quiet,
                           .limits = limits_});
    tiles_.repeats += result.repeats;
    farm::merge_threads(mine_.threads, std::move(result.threads));
  }

  void describe_devices() {
    const binding::RankDevices& devices = lanes_->devices();
    mine_.device = devices.names();
    mine_.lost = devices.losses();
    mine_.restarted = devices.restarts();
    mine_.openings = devices.openings();
    mine_.device_memory = binding::device_memory(
        devices, lanes_->all(), [](const auto& open) { return open.lane->peak_memory_bytes(); });
  }

  void end() {
    phases_.enter(report::Phase::close_file, "closes " + sink_.name(job_));
    const auto rendered =
        farm::gather_reports(world_, without_spans(farm::with_phases(mine_, phases_.report())));
    tiles_.stored = parts_.gather(job_, std::move(tiles_.stored));
    parts_.end(job_, timing_rows(rendered),
               closing_attributes(job_, tiles_, !parts_.adopted(), begun_));
    if (world_.is_root()) remove_orbit(sink_.orbit_file(job_));
    phases_.leave();
  }

  void make_picture() { farm::merge_threads(mine_.threads, sink_.finish(world_, job_, false)); }

  report::RunReport report() {
    const bool last = !sequence_ || sequence_->following.farms == 0;
    if (meters_) mine_.meters = meters_->report(last, limits_.trace);
    auto ranks =
        farm::gather_reports(world_, farm::with_phases(std::move(mine_), phases_.report()));
    if (!world_.is_root()) return {};
    farm::put_counts(ranks, tiles_.stored, world_,
                     [](report::RankReport& rank, const StoredCounts& stored) {
                       rank.tiles = stored.tiles;
                       rank.pixels = stored.pixels;
                       rank.iterations = stored.iterations;
                       rank.uncertain = stored.uncertain;
                       rank.bytes = stored.bytes;
                     });
    report::RunReport run = describe(std::move(ranks));
    run.in_flight = farm::in_flight_of(world_, tiles_.repeats);
    run.found_tiles = tiles_.found.tiles;
    run.damaged_tiles = tiles_.found.damaged;
    if (!job_.share.whole()) run.state.name = "share";
    bool told = false;
    bool& once = sequence_ ? sequence_->told : told;
    if (!once) once = say_if_one_color(job_, sink_.name(job_), run);
    if (!sequence_) say_if_undecided(job_, run);
    return run;
  }

  /// Collective. The writer is closed first, so that the file is as a later run will find it.
  report::RunReport report_stopped(const std::string& why) {
    phases_.leave();
    parts_.close();
    tiles_.stored = parts_.gather(job_, std::move(tiles_.stored));
    report::RunReport run = report();
    run.state.stopped = why;
    return run;
  }

  /// Makes the picture if it is missing.
  report::RunReport report_complete() {
    if (world_.is_root()) {
      if (!job_.quiet) base::log("render: {} is complete already", sink_.name(job_));
      remove_orbit(sink_.orbit_file(job_));
    }
    report::RankReport mine{.threads = sink_.finish(world_, job_, true)};
    auto ranks = farm::gather_reports(world_, std::move(mine));
    if (!world_.is_root()) return {};
    report::RunReport run = describe(std::move(ranks));
    run.found_complete = true;
    run.found_tiles = plan::TileGrid{job_.image.size_px, job_.tile_px}.count();
    return run;
  }

  report::RunReport describe(std::vector<report::RankReport> ranks) const {
    report::RunReport run{.command = "render", .version = base::version_and_commit()};
    run.ranks = std::move(ranks);
    run.wall_s = base::seconds_between(world_.origin(), base::Clock::now());
    run.job = job::describe(job_);
    if (!job_.defaults.empty()) run.job.emplace_back("defaults", job_.defaults);
    run.counts = job::counts_text(job_.image);
    sink_.describe(job_, run);
    return run;
  }

  comm::World& world_;
  job::RenderJob job_;
  ImageSink& sink_;
  ImageParts parts_;
  Sequence* sequence_;                         ///< null: one image
  std::optional<binding::Meters> own_meters_;  ///< outlives the lanes
  std::optional<binding::Meters>& meters_;
  std::optional<binding::Lanes> own_lanes_;
  std::optional<binding::Lanes>& lanes_;
  bool opened_before_;
  base::Clock::time_point begun_;
  farm::FarmLimits limits_;
  farm::Phases phases_;
  plan::TileGrid grid_;
  std::optional<Previewed> preview_;  ///< made before the tiles, to choose their size
  Tiles tiles_;
  report::RankReport mine_;
};

}  // namespace

report::RunReport render(run::Context& context, const job::RenderJob& asked, ImageSink& sink,
                         report::LiveRun* live) {
  const base::RunScope scope(context.run);
  return ImageRun(context.world, asked, sink, live, nullptr).run();
}

report::RunReport render(run::Context& context, const job::RenderJob& asked,
                         report::LiveRun* live) {
  FileSink sink;
  return render(context, asked, sink, live);
}

report::RunReport render(comm::World& world, const job::RenderJob& asked, Sequence& sequence) {
  FileSink sink;
  return ImageRun(world, asked, sink, nullptr, &sequence).run();
}

}  // namespace tessera::render
