#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/text.hpp"
#include "command/command_line.hpp"
#include "command/picture_run.hpp"
#include "command/render_command.hpp"
#include "command/stop_signals.hpp"
#include "job/image/film_file.hpp"
#include "job/image/film_job.hpp"
#include "job/job_file.hpp"
#include "job/values.hpp"
#include "post/film/film.hpp"
#include "store/outputs.hpp"
#include "store/video_file.hpp"

namespace tessera::command {
namespace {

struct FilmArguments {
  job::FilmJob job;
  std::vector<job::Given> given;
};

std::string first_picture(const job::FilmJob& job) {
  return store::is_video(job.output) ? job.output : job::numbered_path(job.output, 0);
}

std::string line_of_film(const job::FilmJob& job, const report::RunReport& run,
                         const post::FilmResult& result) {
  const auto made = static_cast<double>(result.frames - result.found_frames);
  return fmt::format("{}: {} of {} x {} pixels from {}, {} of film, in {}{}\n", first_picture(job),
                     base::count_of(result.frames, "frame"), result.size_px.width,
                     result.size_px.height, base::count_of(result.images, "image"),
                     base::format_seconds(static_cast<double>(result.frames) / job.fps),
                     base::format_seconds(run.wall_s),
                     result.found_frames > 0
                         ? fmt::format("; {} were there before", result.found_frames)
                         : fmt::format(", {:.3g} frames/s", made / run.wall_s));
}

void check_film_output(const job::FilmJob& job) {
  if (!store::is_video(job.output)) {
    if (job.output.ends_with(".png")) return;
    throw base::usage_error(
        "OUT {}: film writes pictures, as FILM.png, or a video, as FILM.mp4, FILM.webm, FILM.webp "
        "or FILM.gif",
        job.output);
  }
  store::check_output(job.output, "OUT", job.overwrite);
}

/// The options of the job file, if there is one, and those that were given.
void apply_all(job::FilmJob& job, const std::vector<job::Given>& given) {
  std::vector<job::Given> all;
  if (job::is_job_file(job.input)) {
    job::FilmFile file = job::parse_film_file(job.input, job::read_job_text(job.input));
    all = std::move(file.given);
    if (job.output.empty()) job.output = std::move(file.output);
    job.input = std::move(file.input);
  }
  all.insert(all.end(), given.begin(), given.end());
  job::apply_film_options(job, all);
  if (!job.output.empty()) return;
  throw base::usage_error(
      "OUT: is missing: FILM.mp4, FILM.png, ..., or output in [film] of JOB.toml");
}

base::ExitCode film(run::Context& context, const FilmArguments& arguments) {
  comm::World& world = context.world;
  job::FilmJob job = arguments.job;
  post::FilmResult result;
  return run_pictures(
      world,
      {.command = "film",
       .label = "film",
       .job = job,
       .overwrite = job.overwrite,
       .check =
           [&] {
             apply_all(job, arguments.given);
             if (!world.is_root()) return;
             check_film_output(job);
             store::check_distinct(
                 {{"OUT", first_picture(job)}, {"--report", job.report}, {"--trace", job.trace}});
           },
       .make = [&](report::RunReport& run) -> MadePictures {
         listen_for_stop(context.run.stop);
         result = post::make_film(world, job);
         run.job = job::describe(job);
         run.outputs = {{store::is_video(job.output) ? "video" : "first", first_picture(job)}};
         run.images = result.frames;
         run.found_images = result.found_frames;
         return {std::move(result.threads), result.repeats, result.output_bytes};
       },
       .line = [&](const report::RunReport& run) { return line_of_film(job, run, result); }});
}

}  // namespace

void add_film(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<FilmArguments>();
  syntax.add_argument("ZOOM.h5", arguments->job.input,
                      "--output of the render with --frames; or its job file, JOB.toml");
  syntax.add_optional_argument(
      "OUT", arguments->job.output,
      "FILM.mp4, FILM.webm, FILM.webp or FILM.gif (needs ffmpeg), or FILM.png for pictures "
      "FILM-0000.png, ...; a job file may say it");
  add_palette_names(syntax);
  syntax.add_options(job::film_options(), arguments->given);
  set_action(syntax, action,
             [arguments](run::Context& context) { return film(context, *arguments); });
}

}  // namespace tessera::command
