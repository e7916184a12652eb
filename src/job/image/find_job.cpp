#include "job/image/find_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/image/formula.hpp"
#include "job/image/views.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {
namespace {

using FindText = std::string_view;

constexpr std::int64_t kMaxPeriod = 1'000'000'000;
constexpr std::int64_t kMaxPixel = 0x7FFFFFFF;

/// Counts of pixels at such widths, in periods, were measured: above the second number are a
/// thousandth of them.
constexpr std::array kStops = std::to_array<Stop>(
    {{"1/2", 0.5, 10}, {"3/4", 0.75, 10}, {"7/8", 0.875, 30}, {"mini", 1, 300}});

/// "RE,IM", "RE,IM,WIDTH", "RE+IMi" or "RE+IMi,WIDTH".
void set_near(FindJob& job, FindText text, FindText what) {
  const auto commas = std::ranges::count(text, ',');
  const std::size_t last = text.rfind(',');
  const bool has_width =
      commas == 2 || (commas == 1 && base::trim(text.substr(0, last)).ends_with('i'));
  const FindText center = has_width ? text.substr(0, last) : text;
  parse_center(center, what);
  if (std::ranges::count(center, ',') > 1) {
    throw base::usage_error("{}: '{}' is not RE,IM or RE,IM,WIDTH", what, base::shortened(text));
  }
  if (has_width) {
    parse_width(text.substr(last + 1), what);
    job.width = base::trim(text.substr(last + 1));
  }
  const PointText point = split_point(center, what);
  job.re = base::trim(point.re);
  job.im = base::trim(point.im);
}

void set_pixel(FindJob& job, FindText text, FindText what) {
  const std::vector<std::string> parts = base::split(text, ',');
  if (parts.size() != 2) {
    throw base::usage_error("{}: '{}' is not a pixel X,Y", what, base::shortened(text));
  }
  job.pixel = Pixel{base::parse_count(parts[0], what, 0, kMaxPixel),
                    base::parse_count(parts[1], what, 0, kMaxPixel)};
}

void set_stop(FindJob& job, FindText text, FindText what) {
  std::vector<FindText> names;
  for (const Stop& stop : kStops) names.push_back(stop.name);
  job.to = names[find_name(names, base::trim(text), what, "stop")];
}

Option<FindJob> searched(Option<FindJob> option) {
  option.scope = Scope::image;
  return option;
}

std::vector<Option<FindJob>> make_find_options() {
  static const std::string formula_help = "formula whose orbits return: " + formula_choices();
  return {
      searched({"near", "RE,IM[,WIDTH]",
                "look within WIDTH / 2 of this point; without WIDTH, within five units of its last "
                "decimal place",
                Scope::image, Kind::list, set_near,
                [](const FindJob& job) { return job.re.empty() ? "" : job.re + "," + job.im; }}),
      searched({"view", "NAME", "look in a view of tessera views", Scope::image, Kind::text,
                [](FindJob& job, FindText text, FindText what) {
                  job.view = find_view(base::trim(text), what).name;
                },
                [](const FindJob& job) { return job.view; }}),
      searched(optional_path<FindJob>({"from", "FILE|LINK",
                                       "look in a place, as tessera place reads it, or in an image "
                                       "or picture of Tessera"},
                                      &FindJob::from)),
      searched({"at", "X,Y", "look around this pixel of the picture of --from", Scope::image,
                Kind::list, set_pixel,
                [](const FindJob& job) {
                  return job.pixel ? fmt::format("{},{}", job.pixel->x, job.pixel->y) : "";
                }}),
      checked({"width", "W", "look within W / 2; for a place, its smaller side is usual",
               Scope::image, Kind::number},
              &FindJob::width, parse_width),
      checked({"formula", "NAME[:...]", formula_help, Scope::image}, &FindJob::formula,
              parse_formula),
      searched(toggle<FindJob>(
          {"misiurewicz", "", "look for a Misiurewicz point, where branches and spirals meet"},
          &FindJob::misiurewicz)),
      whole_number(
          {"max-period", "N", "give up where an orbit of N steps did not return", Scope::image},
          &FindJob::max_period, 1, kMaxPeriod),
      whole_number({"digits", "N", "decimal places of the result, if more than its size needs",
                    Scope::output},
                   &FindJob::places, 0, kMaxDigits),
      {"to", "NAME",
       "what the printed command shows: mini, or 1/2, 3/4 or 7/8 of the way to it, in powers",
       Scope::output, Kind::text, set_stop, [](const FindJob& job) { return job.to; }},
      toggle<FindJob>(
          {"film", "", "let that command render the images of a zoom to it, for 'tessera film'",
           Scope::output},
          &FindJob::film),
      {"size", "WxH", "size of its picture, in pixels", Scope::output, Kind::text,
       [](FindJob& job, FindText text, FindText what) { job.size_px = parse_size(text, what); },
       [](const FindJob& job) { return job.size_px ? format_size(*job.size_px) : ""; }},
      run_option<FindJob>(RunOption::quiet),
      run_option<FindJob>(RunOption::json),
  };
}

}  // namespace

std::span<const Option<FindJob>> find_options() {
  static const std::vector<Option<FindJob>> options = make_find_options();
  return options;
}

FindJob make_find_job(std::span<const Given> given) {
  FindJob job;
  apply_options<FindJob>(job, find_options(), given);
  const int places =
      (job.re.empty() ? 0 : 1) + (job.view.empty() ? 0 : 1) + (job.from.empty() ? 0 : 1);
  if (places == 0) {
    throw base::usage_error("--near: where to look is missing; --view or --from say it too");
  }
  if (places > 1) throw base::usage_error("--near, --view and --from: take one of them");
  if (job.pixel && job.from.empty()) throw base::usage_error("--at: needs --from, a picture");
  return job;
}

const Stop& stop_of(const FindJob& job) {
  return *std::ranges::find(kStops, job.to, &Stop::name);
}

}  // namespace tessera::job
