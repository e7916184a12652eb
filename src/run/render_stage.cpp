#include "run/render_stage.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/version.hpp"
#include "color/palette.hpp"
#include "job/fingerprint.hpp"
#include "job/options.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/band_plan.hpp"
#include "run/color_stage.hpp"
#include "run/device_choice.hpp"
#include "run/farm.hpp"
#include "run/lanes.hpp"
#include "run/memory_plan.hpp"
#include "run/placement.hpp"
#include "run/preflight.hpp"
#include "run/preview_stage.hpp"
#include "run/progress.hpp"
#include "run/render_work.hpp"
#include "run/thread_reports.hpp"
#include "store/image_file.hpp"

namespace tessera::run {
namespace {

store::ImageHeader make_header(const job::RenderJob& job) {
  store::ImageHeader header{
      .size_px = job.image.size_px, .tile_px = job.tile_px, .compress = job.compress};
  for (const job::Field field : job.fields) {
    header.fields.emplace_back(field, job::field_type(job.image, field));
  }
  header.attributes = job::describe(job);
  header.attributes.emplace_back("fingerprint", job::fingerprint(job));
  header.attributes.emplace_back("arithmetic", job::kArithmetic);
  header.attributes.emplace_back("tessera_version", base::version());
  header.attributes.emplace_back("tessera_commit", base::commit());
  return header;
}

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

/// What would stop the picture is found before the data is rendered, by every rank.
void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles) {
  color::find_palette(job.palette);
  const job::Field field = job.fields.back();  // smooth where there is one
  plan_bands({.region = {0, 0, job.image.size_px.width, job.image.size_px.height},
              .chunk_px = tiles.chunk_px(),
              .type = job::field_type(job.image, field),
              .memory_bytes = job.memory_bytes});
}

/// Tiles to the .part file; on the gather rank through `writer`.
std::vector<report::ThreadReport> render_tiles(comm::World& world, const job::RenderJob& job,
                                               const plan::TileGrid& tiles, RenderWork& work,
                                               std::vector<float> costs, const FarmLimits& limits,
                                               store::ImageWriter* writer) {
  const int lanes = total_lanes(world, work.live_lanes());
  if (!world.is_root()) return run_farm(world, work, limits, nullptr);
  plan::Schedule schedule(std::move(costs), lanes, plan::Order::dearest_first);
  TileSink sink(*writer, tiles);
  Progress progress("render", "tiles", job.quiet);
  Gather gather{schedule, sink, [&](const auto& now) { progress.show(now); }};
  return run_farm(world, work, limits, &gather);
}

ColorJob color_job(const job::RenderJob& job) {
  return {.input = job.output,
          .output = job.png,
          .palette = job.palette,
          .threads = job.threads,
          .memory_bytes = job.memory_bytes,
          .quiet = job.quiet,
          .trace = job.trace};
}

/// Numbers without spans: little enough to be gathered while the file is not yet safe.
report::RankReport without_spans(report::RankReport report) {
  for (report::ThreadReport& thread : report.threads) thread.spans.clear();
  return report;
}

}  // namespace

report::RunReport render(comm::World& world, const job::RenderJob& job) {
  const plan::TileGrid tiles{job.image.size_px, job.tile_px};
  std::optional<Lanes> lanes;
  FarmLimits limits{.trace = !job.trace.empty()};
  agree(world, [&] {
    if (world.is_root()) check_render_outputs(job, tiles);
    if (!job.png.empty()) check_picture(job, tiles);
  });
  const std::string devices = choose_devices(world, job.device, job.threads);
  agree(world, [&] {
    open_chosen(lanes, job.device, devices, job.threads, world);
    const MemoryPlan memory = plan_memory(job, tiles, lanes->count(), world.is_root());
    limits.outbox_bytes = limits.inbox_bytes = static_cast<std::size_t>(memory.queue_bytes / 3);
  });

  show_placement(world, *lanes, job.quiet);
  report::RankReport mine{.device = lanes->names()};
  auto costs = preview_costs(world, *lanes, job.image, tiles, limits, mine.threads);

  std::unique_ptr<store::ImageWriter> writer;
  agree(world, [&] {
    if (world.is_root())
      writer = std::make_unique<store::ImageWriter>(job.output, make_header(job));
  });
  {
    RenderWork work(job, tiles, *lanes, world);
    merge_threads(mine.threads,
                  render_tiles(world, job, tiles, work, std::move(costs), limits, writer.get()));
    work.add_counts(mine);
    mine.lost = lanes->losses();
  }
  const auto rendered = gather_reports(world, without_spans(mine));
  agree(world, [&] {
    const double elapsed_s = base::seconds_between(world.origin(), base::Clock::now());
    if (writer) {
      writer->finish(timing_rows(rendered), {{"wall_s", fmt::format("{:.6f}", elapsed_s)}});
    }
    writer.reset();
  });

  if (!job.png.empty()) merge_threads(mine.threads, color_file(world, color_job(job)).threads);
  report::RunReport run{.command = "render", .version = base::version_and_commit()};
  run.ranks = gather_reports(world, std::move(mine));
  if (!world.is_root()) return {};
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  run.job = job::describe(job);
  run.outputs.emplace_back("h5", job.output);
  if (!job.png.empty()) run.outputs.emplace_back("png", job.png);
  run.output_bytes = std::filesystem::file_size(job.output);
  return run;
}

}  // namespace tessera::run
