#include "job/image/film_job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/image/coloring.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Words = std::string_view;

constexpr double kMaxFps = 1000;
constexpr double kMaxFilmSeconds = 86400;
constexpr int kMaxFramesPerKey = 1'000'000;
constexpr double kMaxTurns = 1000;

double parse_rate(Words text, Words what) {
  const double fps = base::parse_real(text, what);
  if (fps > 0 && fps <= kMaxFps) return fps;
  throw base::usage_error("{}: '{}' is not above 0 and at most {}", what, text, kMaxFps);
}

double parse_length(Words text, Words what) {
  const double seconds = base::parse_duration(text, what);
  if (seconds > 0 && seconds <= kMaxFilmSeconds) return seconds;
  throw base::usage_error("{}: '{}' is not a time above 0, up to a day", what, text);
}

double parse_pause(Words text, Words what) {
  const double seconds = base::parse_duration(text, what);
  if (seconds >= 0 && seconds <= kMaxFilmSeconds) return seconds;
  throw base::usage_error("{}: '{}' is not a time from 0 to a day", what, text);
}

double parse_turns(Words text, Words what) {
  const double turns = base::parse_real(text, what);
  if (std::abs(turns) <= kMaxTurns) return turns;
  throw base::usage_error("{}: '{}' is not from -{} to {}", what, text, kMaxTurns, kMaxTurns);
}

std::vector<Option<FilmJob>> make_film_options() {
  return {
      field_option<FilmJob>("iterations or smooth; by default smooth, if the images have it"),
      {"size", "WxH", "of the film, in pixels; by default half as wide and high as the images",
       Scope::image, Kind::text,
       [](FilmJob& job, Words text, Words what) { job.size_px = parse_size(text, what); },
       [](const FilmJob& job) { return job.size_px.width > 0 ? format_size(job.size_px) : ""; }},
      parsed({"fps", "N", "frames in a second", Scope::image, Kind::number}, &FilmJob::fps,
             parse_rate),
      parsed({"seconds", "TIME", "length of the film, such as 60 or 1m30s", Scope::image,
              Kind::number},
             &FilmJob::seconds, parse_length,
             [](double value) { return value > 0 ? fmt::format("{}", value) : ""; }),
      optional_number(
          {"frames-per-key", "N",
           "instead of --seconds: frames from an image to the next; by default those of a second",
           Scope::image},
          &FilmJob::frames_per_key, 1, kMaxFramesPerKey),
      parsed({"hold", "TIME", "the first and the last image stand still for this long",
              Scope::image, Kind::number},
             &FilmJob::hold_s, parse_pause),
      parsed({"ease", "TIME", "the film gets up to speed, and slows down at its end, for this long",
              Scope::image, Kind::number},
             &FilmJob::ease_s, parse_pause),
      parsed({"palette-turns", "X",
              "the palette moves by so many cycles from the first image to the last", Scope::output,
              Kind::number},
             &FilmJob::palette_turns, parse_turns),
      parsed({"light-turns", "X",
              "the light goes round so often, anticlockwise, from the first image to the last",
              Scope::output, Kind::number},
             &FilmJob::light_turns, parse_turns),
      run_option<FilmJob>(RunOption::threads),
      run_option<FilmJob>(RunOption::memory),
      run_option<FilmJob>(RunOption::report),
      run_option<FilmJob>(RunOption::trace),
      toggle({"overwrite", "", "replace existing files", Scope::output}, &FilmJob::overwrite),
      run_option<FilmJob>(RunOption::quiet),
      run_option<FilmJob>(RunOption::json),
  };
}

}  // namespace

std::string numbered_path(const std::string& path, std::int64_t number) {
  const std::filesystem::path whole(path);
  std::filesystem::path numbered = whole.parent_path();
  numbered /= fmt::format("{}-{:04}{}", whole.stem().string(), number, whole.extension().string());
  return numbered.string();
}

std::span<const Option<FilmJob>> film_options() {
  static const std::vector<Option<FilmJob>> options = [] {
    std::vector<Option<FilmJob>> all = coloring_options<FilmJob>();
    for (auto& option : make_film_options()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

void apply_film_options(FilmJob& job, std::span<const Given> given) {
  apply_options<FilmJob>(job, film_options(), given);
  if (job.light_turns != 0 && !job.light) {
    throw base::usage_error("--light-turns: needs --light, which says where the light begins");
  }
  if (job.seconds == 0 || job.frames_per_key == 0) return;
  throw base::usage_error("--frames-per-key: --seconds says it too; take one of the two");
}

std::vector<std::pair<std::string, std::string>> describe(const FilmJob& job) {
  auto lines = describe_options(job, film_options());
  lines.emplace(lines.begin(), "input", job.input);
  return lines;
}

}  // namespace tessera::job
