#include "post/film/film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/hash.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "binding/render_lanes.hpp"
#include "color/palette.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/broadcast_value.hpp"
#include "device/host/cpu_threads.hpp"
#include "farm/farm.hpp"
#include "farm/phases.hpp"
#include "job/image/coloring.hpp"
#include "job/image/zoom.hpp"
#include "post/color/equalize.hpp"
#include "post/color/picture.hpp"
#include "post/film/film_colors.hpp"
#include "post/film/film_plan.hpp"
#include "post/film/film_sink.hpp"
#include "post/film/film_work.hpp"
#include "post/film/key_frames.hpp"
#include "post/verify/step_counts_work.hpp"
#include "store/outputs.hpp"

namespace tessera::post {
namespace {

/// Palettes that pass while the film goes through so many images, if nothing else is asked for.
constexpr double kImagesPerPalette = 4;

base::ImageSize size_of_film(const job::FilmJob& job, const KeyFacts& keys) {
  const base::ImageSize& key = keys.size_px;
  if (job.size_px.width == 0) {
    // Even, as videos need it.
    return {std::max<std::int64_t>(2, key.width / 4 * 2),
            std::max<std::int64_t>(2, key.height / 4 * 2)};
  }
  if (job.size_px.width <= key.width && job.size_px.height <= key.height) return job.size_px;
  throw base::usage_error("--size {}x{}: the film cannot be larger than its images ({}x{})",
                          job.size_px.width, job.size_px.height, key.width, key.height);
}

void set_film_colors(job::FilmJob& job, const KeyFacts& keys) {
  job::settle_colors(job, keys.beyond_f64);
  if (!job.equalize || job.palette_cycle > 0) return;
  job.palette_cycle = std::max(1.0, static_cast<double>(keys.paths.size()) / kImagesPerPalette);
}

store::VideoLayout video_layout(const job::FilmJob& job, const Film& film) {
  return {.size_px = film.size_px, .depth = job.png_depth, .fps = job.fps};
}

/// The contents of a frame. With --equalize, its colours depend on all images.
PictureOrigin origin_of_frame(const job::FilmJob& job, const Film& film,
                              const color::Palette& palette, std::int64_t frame) {
  const FilmPlace place = film.frames.at(frame);
  const auto [key, beyond] = place;
  const auto name = [&](std::int64_t i) {
    return film.keys.fingerprints[static_cast<std::size_t>(i)];
  };
  std::string data = "of a film, " + name(key);
  if (beyond > 0) data += fmt::format(" and {} at {}", name(key + 1), beyond);
  if (job.equalize) {
    data += fmt::format(" of {:016x}", base::fnv1a(base::join(film.keys.fingerprints)));
  }
  return {.fingerprint = std::move(data),
          .field = film.keys.field,
          .palette = palette,
          .coloring = coloring_at(job, film.frames.way(place)),
          .region = {0, 0, film.size_px.width, film.size_px.height}};
}

/// The pictures that are there.
struct FoundFrames {
  std::vector<bool> right;     ///< as they should be
  std::vector<bool> replaced;  ///< with other colours, or anything with --overwrite
};

/// Pictures that are there behind the last frame: whoever makes a video of all would show them too.
void warn_of_more(const job::FilmJob& job, std::int64_t count) {
  std::int64_t end = count;
  while (base::exists(job::numbered_path(job.output, end))) ++end;
  if (end == count) return;
  base::log("film: {} behind the last frame, from {} on, {} there from before, and {} left",
            base::count_of(end - count, "picture"), job::numbered_path(job.output, count),
            end - count == 1 ? "is" : "are", end - count == 1 ? "is" : "are");
}

FoundFrames find_frames(const job::FilmJob& job, const Film& film, const color::Palette& palette) {
  const auto count = static_cast<std::size_t>(film.frames.count);
  FoundFrames found{std::vector<bool>(count), std::vector<bool>(count, job.overwrite)};
  std::int64_t recolored = 0;
  for (std::int64_t i = 0; i < film.frames.count; ++i) {
    const std::string path = job::numbered_path(job.output, i);
    store::check_output(path, "OUT.png", true);
    if (job.overwrite) continue;
    const auto what =
        compare(store::look_at_picture(path), origin_of_frame(job, film, palette, i), "");
    if (what == FoundPicture::other) {
      throw base::usage_error(
          "OUT.png {}: is there already, and is no such frame of this zoom; --overwrite replaces "
          "it",
          path);
    }
    found.right[static_cast<std::size_t>(i)] = what == FoundPicture::right;
    found.replaced[static_cast<std::size_t>(i)] = what == FoundPicture::ours;
    recolored += what == FoundPicture::ours ? 1 : 0;
  }
  if (recolored > 0 && !job.quiet) {
    base::log(
        "film: {} other colours and {} replaced",
        fmt::format("{} {}", base::count_of(recolored, "frame"), recolored == 1 ? "has" : "have"),
        recolored == 1 ? "is" : "are");
  }
  return found;
}

/// The gather rank's end of a film.
struct FilmOutput {
  FoundFrames found;
  std::optional<store::VideoWriter> video;
  std::optional<VideoSink> frames_of_video;
  std::optional<FrameSink> pictures;

  FilmOutput(const job::FilmJob& job, const Film& film, const color::Palette& palette) {
    if (store::is_video(job.output)) {
      video.emplace(job.output, video_layout(job, film),
                    job.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
      frames_of_video.emplace(*video);
      return;
    }
    found = find_frames(job, film, palette);
    if (!job.quiet) warn_of_more(job, film.frames.count);
    pictures.emplace(
        job.output, store::PictureLayout{.size_px = film.size_px, .depth = film.format.depth},
        [&](std::int64_t frame) {
          return picture_text(origin_of_frame(job, film, palette, frame), "");
        },
        found.replaced);
  }

  farm::Sink& sink() {
    if (pictures) return *pictures;
    return *frames_of_video;
  }
};

/// Throws the error of a film that was stopped: its pictures stay.
[[noreturn]] void throw_stopped(const job::FilmJob& job, const comm::AgreedError& error) {
  const bool resumes = error.code() == base::ExitCode::stopped && !store::is_video(job.output);
  throw comm::AgreedError(
      error.code(),
      resumes ? fmt::format("{}; run the same command to resume", error.what()) : error.what());
}

/// A farm over frames, or over images.
farm::FarmResult run_film_farm(comm::World& world, const job::FilmJob& job,
                               const FilmBudget& budget, std::int64_t count, farm::Work& work,
                               farm::Sink* sink, const std::string& item,
                               std::vector<bool> finished = {}) {
  const auto queue_bytes = static_cast<std::size_t>(budget.queue_bytes);
  try {
    return farm::run(world, {.work = work,
                             .sink = sink,
                             .costs = std::vector<float>(static_cast<std::size_t>(count), 1.0F),
                             .window = item == "frame" ? budget.window : 0,
                             .finished = std::move(finished),
                             .label = "film",
                             .item = item,
                             .quiet = job.quiet,
                             .limits = {.outbox_bytes = queue_bytes,
                                        .inbox_bytes = queue_bytes,
                                        .trace = job.records_spans()}});
  } catch (const comm::AgreedError& error) {
    throw_stopped(job, error);
  }
}

FilmRequest request_of(const job::FilmJob& job, const Film& film, int lanes, int lanes_of_all) {
  return {.film_px = film.size_px,
          .chunk_px = film.keys.chunk_px,
          .type = film.keys.type,
          .alongside_bytes = film.keys.alongside_bytes,
          .pixel_bytes = film.format.bytes(),
          .beside = static_cast<int>(job::shading_fields(job).size()),
          .picture_bytes =
              film.keys.turn_deg == 0 ? 0 : color::LightPicture::memory_bytes(film.keys.size_px),
          .color_bytes =
              job.palette_turns == 0 ? 0 : color::Colorizer::memory_bytes(film.keys.iterations),
          .in_order = store::is_video(job.output),
          .memory_bytes = job.memory_bytes,
          .lanes = std::max(lanes, 1),
          .lanes_of_all = std::max(lanes_of_all, 1)};
}

/// The parts that a rank needs for its frames.
struct FilmPlan {
  color::Palette palette;
  Film film;
  FilmBudget budget;
  int lanes = 0;  ///< 0 where the images cannot be seen
};

int lanes_of_rank(const comm::World& world, const job::FilmJob& job, const KeyFacts& keys) {
  if (!world.is_root() && !base::exists(keys.paths.front())) return 0;
  return device::cpu_threads(binding::place_of(world, job), device::count_cores());
}

/// Collective.
FilmPlan plan_of(comm::World& world, const job::FilmJob& job, const KeyFacts& keys) {
  std::optional<FilmPlan> plan;
  comm::agree(world, [&] {
    const bool shades = !job::shading_fields(job).empty();
    const bool dither = job.png_depth == 8 && (keys.field == job::Field::smooth || shades);
    const auto count = static_cast<std::int64_t>(keys.paths.size());
    const base::ImageSize size_px = size_of_film(job, keys);
    job::check_turn(keys.turn_deg, keys.size_px, size_px, keys.zoom, "ZOOM.h5 " + job.input);
    const Film film{
        keys, frames_of(job, count), size_px, {.depth = job.png_depth, .dither = dither}};
    plan.emplace(FilmPlan{palette_of(job), film, {}, lanes_of_rank(world, job, keys)});
    if (world.is_root() && store::is_video(job.output)) {
      check_video(job.output, video_layout(job, film));
    }
  });
  const int lanes_of_all = farm::total_lanes(world, plan->lanes);
  comm::agree(world, [&] {
    plan->budget = plan_film(request_of(job, plan->film, plan->lanes, lanes_of_all));
    plan->lanes = std::min(plan->lanes, plan->budget.lanes);
  });
  return *plan;
}

/// Collective.
FilmColors colors_of_film(comm::World& world, const job::FilmJob& job, const FilmPlan& plan,
                          KeyFrames& images) {
  const auto count_steps = [&](color::ValueRange range) {
    KeyCountsWork work(images, range, plan.lanes);
    StepCountsSink sink(range);
    run_film_farm(world, job, plan.budget, plan.film.frames.keys, work,
                  world.is_root() ? &sink : nullptr, "image");
    return sink.counts();
  };
  return {job, make_color_rule(world, job, plan.palette, plan.film.keys.iterations, plan.lanes > 0,
                               count_steps)};
}

/// Finishes a video. Returns the bytes that were written.
std::uint64_t close_film(const job::FilmJob& job, FilmOutput& output) {
  if (output.pictures) return output.pictures->written_bytes();
  output.video->finish();
  return std::filesystem::file_size(job.output);
}

}  // namespace

FilmResult make_film(comm::World& world, job::FilmJob job) {
  farm::Phases phases(world, "film", job.quiet, job.records_spans());
  phases.enter(report::Phase::open_file, "opens the images of " + job.input);
  KeyFacts keys;
  comm::agree(world, [&] {
    if (world.is_root()) keys = find_keys(job);
  });
  keys = comm::broadcast_value(world, keys);
  set_film_colors(job, keys);
  const FilmPlan plan = plan_of(world, job, keys);
  phases.leave();
  KeyFrames images(keys, job::shading_fields(job), static_cast<std::size_t>(plan.lanes) + 1);
  FilmWork work(plan.film, images, colors_of_film(world, job, plan, images), plan.budget.rows,
                plan.lanes,
                store::is_video(job.output) ? nullptr : &store::picture_format_of(job.output));

  // Only the gather rank can fail at the files. Each such step is collective, so that the other
  // ranks learn of the failure and do not wait forever.
  std::optional<FilmOutput> output;
  comm::agree(world, [&] {
    if (world.is_root()) output.emplace(job, plan.film, plan.palette);
  });
  const auto found = output ? output->found.right : std::vector<bool>();
  farm::FarmResult made = run_film_farm(world, job, plan.budget, plan.film.frames.count, work,
                                        output ? &output->sink() : nullptr, "frame", found);
  phases.enter(report::Phase::close_file, "finalising " + job.output);
  FilmResult result{.threads = std::move(made.threads),
                    .size_px = plan.film.size_px,
                    .images = plan.film.frames.keys,
                    .frames = plan.film.frames.count,
                    .found_frames = std::ranges::count(found, true),
                    .repeats = made.repeats};
  comm::agree(world, [&] {
    if (output) result.output_bytes = close_film(job, *output);
  });
  phases.leave();
  result.threads.push_back(phases.report());
  return result;
}

}  // namespace tessera::post
