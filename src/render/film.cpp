#include "render/film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "deep/widths.hpp"
#include "farm/stopped_run.hpp"
#include "farm/thread_reports.hpp"
#include "job/image/film_job.hpp"
#include "job/image/options.hpp"
#include "job/image/resolution.hpp"
#include "job/image/zoom.hpp"
#include "job/values.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/image_outputs.hpp"
#include "render/orbit_cache.hpp"
#include "render/render.hpp"
#include "store/image/parts.hpp"

namespace tessera::render {
namespace {

/// The images of the job: all, or those of its share, which has every so-many-th.
std::vector<int> requested_frames(const job::RenderJob& film) {
  std::vector<int> requested;
  for (int i = film.share.number - 1; i < film.frames; i += film.share.of) requested.push_back(i);
  return requested;
}

/// Whether the image is complete. Throws where its outputs cannot be written.
bool is_complete_frame(const job::RenderJob& asked) {
  const post::OutputsOnDisk disk = post::look_at_outputs(asked);
  const job::RenderJob frame = post::adapted(asked, post::taken_over(asked, disk));
  const plan::TileGrid tiles{frame.image.size_px, frame.tile_px};
  return post::check_render_outputs(frame, tiles, disk).what == store::FoundImage::What::complete;
}

bool is_begun(const job::RenderJob& frame) {
  return base::exists(frame.output) || !store::unfinished_image(frame.output).empty();
}

/// On the gather rank: the iterations of images of an earlier run, where the job has those of its
/// depth; all images of a zoom have as many. 0 = there are none, or they have those.
std::uint64_t iterations_found(const job::RenderJob& film) {
  if (film.overwrite || film.iterations_from != job::IterationsFrom::depth) return 0;
  for (const int i : requested_frames(film)) {
    const job::RenderJob frame = frame_of(film, i);
    if (!is_begun(frame)) continue;
    return post::taken_over(frame, post::look_at_outputs(frame)).iterations;
  }
  return 0;
}

/// On the gather rank: the requested images that are left to render, after a look at all files.
std::vector<int> find_work(const job::RenderJob& film) {
  std::vector<int> work;
  bool begun = false;
  for (const int i : requested_frames(film)) {
    const job::RenderJob frame = frame_of(film, i);
    begun = begun || is_begun(frame);
    if (!is_complete_frame(frame)) work.push_back(i);
  }
  if (!film.resume || begun) return work;
  throw base::missing_error("--resume: there is neither {0} nor {0}.part, and no other image",
                            frame_of(film, film.share.number - 1).output);
}

/// Adds what the rank did for one more image. Devices count from the start of the run.
void add_rank(report::RankReport& all, report::RankReport one) {
  farm::merge_threads(all.threads, std::move(one.threads));
  all.device = one.device;
  all.add_work(one);
  all.peak_memory_bytes = std::max(all.peak_memory_bytes, one.peak_memory_bytes);
  all.lost = std::move(one.lost);
  all.restarted = std::move(one.restarted);
  all.device_memory = std::move(one.device_memory);
  all.meters = std::move(one.meters);
}

void add_image(report::RunReport& all, report::RunReport one) {
  all.found_tiles += one.found_tiles;
  all.damaged_tiles += one.damaged_tiles;
  all.in_flight.repeats += one.in_flight.repeats;
  all.in_flight.lost = std::move(one.in_flight.lost);
  for (report::RankReport& rank : one.ranks) {
    const auto known = std::ranges::find(all.ranks, rank.rank, &report::RankReport::rank);
    if (known == all.ranks.end()) {
      all.ranks.push_back(std::move(rank));
    } else {
      add_rank(*known, std::move(rank));
    }
  }
}

std::uint64_t bytes_of_files(const job::RenderJob& film) {
  std::uint64_t bytes = 0;
  for (const int i : requested_frames(film)) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(frame_of(film, i).output, missing);
    if (!missing) bytes += size;
    const std::string parts = store::joined_parts_folder(frame_of(film, i).output);
    if (!parts.empty()) bytes += store::bytes_of_parts(parts);
  }
  return bytes;
}

/// The orbit is kept beside the last image, which removes it only if it comes last.
void remove_deepest_orbit(const job::RenderJob& deepest) {
  if (base::exists(deepest.output)) remove_orbit(orbit_path(deepest.output));
}

report::RunReport describe_film(const comm::World& world, const job::RenderJob& film,
                                report::RunReport run, std::size_t rendered) {
  run.command = "render";
  run.version = base::version_and_commit();
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  run.job = job::describe(film);
  const std::vector<int> requested = requested_frames(film);
  run.images = std::ssize(requested);
  run.found_images = run.images - static_cast<std::int64_t>(rendered);
  run.found_complete = rendered == 0;
  if (!requested.empty()) {
    run.outputs = {{"first", frame_of(film, requested.front()).output},
                   {"last", frame_of(film, requested.back()).output}};
  }
  run.output_bytes = bytes_of_files(film);
  return run;
}

}  // namespace

job::RenderJob frame_of(const job::RenderJob& film, int frame) {
  job::RenderJob job = film;
  job.of_frames = std::exchange(job.frames, 0);
  job.turn_per_frame = "0";
  job.output = job::numbered_path(film.output, frame);
  job.share = {};
  job.resume = false;
  const int wider = film.frames - 1 - frame;
  if (wider > 0) {
    job.view = job.from = job.region = "";
    job.width_text = deep::widened(film.width_text, film.zoom_per_frame, wider);
    job.image.width = job::parse_width(job.width_text, "width");
    job.image.matrix = job::matrix_before(film, wider);
  }
  job::resolve_arithmetic(job);
  if (!job.image.has_place()) {
    job.image.place = {};
    job.image.exact = true;
  }
  return job;
}

report::RunReport render_film(run::Context& context, const job::RenderJob& asked) {
  const base::RunScope scope(context.run);
  comm::World& world = context.world;
  job::RenderJob film = asked;
  std::vector<int> work;
  std::uint64_t kept_iterations = 0;
  comm::agree(world, [&] {
    if (world.is_root()) kept_iterations = iterations_found(film);
  });
  kept_iterations = comm::broadcast_value(world, kept_iterations);
  if (kept_iterations > 0) {
    film.image.iterations = kept_iterations;
    film.iterations_from = job::IterationsFrom::given;
  }
  comm::agree(world, [&] {
    if (world.is_root()) work = find_work(film);
  });
  work = comm::broadcast_value(world, work);
  const std::int64_t requested = std::ssize(requested_frames(film));
  const std::int64_t found = requested - std::ssize(work);
  if (world.is_root() && !film.quiet && found > 0) {
    base::log("render: {} complete already", base::some_are(found, requested, "image"));
  }
  Sequence sequence{.deepest = frame_of(film, film.frames - 1)};
  report::RunReport all;
  const auto begun = base::Clock::now();
  for (std::size_t i = 0; i < work.size(); ++i) {
    const int frame = work[i];
    sequence.label = fmt::format("render {} of {}", frame + 1, film.frames);
    sequence.following.farms = std::ssize(work) - static_cast<std::int64_t>(i) - 1;
    if (i > 0) {
      sequence.following.each_s =
          base::seconds_between(begun, base::Clock::now()) / static_cast<double>(i);
    }
    try {
      add_image(all, render(world, frame_of(film, frame), sequence));
    } catch (farm::StoppedRun<report::RunReport>& stopped) {
      if (world.is_root()) {
        const std::string why = stopped.report().state.stopped;
        add_image(all, stopped.take_report());
        all = describe_film(world, film, std::move(all), work.size());
        all.state.stopped = why;
      }
      throw farm::StoppedRun(stopped.what(), std::move(all));
    }
  }
  if (!world.is_root()) return {};
  remove_deepest_orbit(sequence.deepest);
  return describe_film(world, film, std::move(all), work.size());
}

}  // namespace tessera::render
