#include "explore/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "deep/exact_steps.hpp"
#include "job/image/default_iterations.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"
#include "post/color/picture.hpp"
#include "view/answers.hpp"
#include "view/image_json.hpp"
#include "view/look.hpp"

namespace tessera::explore {
namespace {

using view::HttpAnswer;
using view::HttpError;
using view::json_answer;
using view::parse_number;
using view::Target;

constexpr std::size_t kMaxClientLetters = 32;
constexpr std::int64_t kMaxViews = std::int64_t{1} << 53;
constexpr std::size_t kMaxBegun = 512;
/// Pixels of a square are squares of a level that is so much deeper.
constexpr int kPixelLevels = 8;
/// Halvings from a pixel to the grid of points, which links and posters have.
constexpr int kPointLevels = 8;
/// Digits of a coordinate beyond those that tell two pixels apart.
constexpr std::int64_t kSpareDigits = 2;

/// Errors of parsers are mistakes of the request.
template <class Parse>
auto parsed(const Parse& parse) {
  try {
    return parse();
  } catch (const base::Error& error) {
    throw HttpError(400, base::printable(error.what()));
  }
}

std::int64_t number_or(const Target& target, std::string_view name, std::int64_t usual,
                       std::int64_t low, std::int64_t high) {
  const std::string_view text = target.parameter(name);
  return text.empty() ? usual : parse_number(text, name, low, high);
}

std::int64_t steps_of(std::string_view text, std::string_view what) {
  return parse_number(text, what, -kMaxSteps, kMaxSteps - 1, 404);
}

int level_of(const Target& target) {
  return static_cast<int>(parse_number(target.path[2], "level", -kMaxLevel, kMaxLevel, 404));
}

Want want_of(const Target& target) {
  Want want{.client = std::string(target.parameter("client"))};
  if (want.client.size() > kMaxClientLetters) throw HttpError(400, "client: it is too long");
  want.view = static_cast<std::uint64_t>(number_or(target, "view", 0, 0, kMaxViews));
  return want;
}

Place start_of(const job::RenderJob& job) {
  const job::PointText center = job::split_point(job.center_text, "center");
  return {.center_re = base::normalized_decimal(center.re),
          .center_im = base::normalized_decimal(center.im),
          .span = base::normalized_decimal(job.width_text)};
}

/// Digits behind the point that tell pixels apart which are so many halvings below the place.
std::int64_t places_of(const Place& place, int level) {
  const double step = deep::log2_of(place.span) - level;
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(-step * std::log10(2.0))), 0) +
         kSpareDigits;
}

/// Null for a field that the square does not have.
report::Json value_at(const base::Bytes& field, std::size_t pixel) {
  if (field.empty()) return nullptr;
  float value = 0;
  std::memcpy(&value, field.data() + pixel * sizeof value, sizeof value);
  return static_cast<double>(value);
}

report::Json field_names(const job::RenderJob& job) {
  report::Json names = report::Json::array();
  for (const job::Field field : job.fields) names.push_back(job::field_name(field));
  return names;
}

/// For the page, which spreads the colours over the counts that it shows.
view::Headers headers_of(const SquareValues& values, std::uint64_t iterations) {
  view::Headers headers = {{"Cache-Control", "no-store"}};
  if (const auto range = default_counts(values, iterations)) {
    headers.emplace_back("Tessera-Counts", fmt::format("{}-{}", range->low, range->high));
  }
  return headers;
}

/// The colours of a square.
job::ColorJob look_of(const Target& target, const ExploreSpec& spec) {
  job::ColorJob look = view::look_of(target, spec.palettes);
  view::check_fields(look,
                     [&](job::Field field) { return job::has_field(spec.job.fields, field); });
  if (target.parameter("equalize") == "true") {
    throw HttpError(400, "equalize: a square has no histogram of all others; a poster has");
  }
  return look;
}

report::Json formulas_json() {
  report::Json json = report::Json::array();
  for (const kernels::FormulaRow& row : kernels::kFormulas) {
    const char* const parameter = row.parameter == kernels::TS_PARAMETER_CONSTANT ? "constant"
                                  : row.parameter == kernels::TS_PARAMETER_DEGREE ? "degree"
                                                                                  : "";
    json.push_back({{"name", row.name}, {"parameter", parameter}});
  }
  return json;
}

}  // namespace

Explorer::Explorer(const ExploreSpec& spec, binding::Lanes& lanes)
    : spec_(spec),
      start_(places_.add(start_of(spec.job))),
      farm_(lanes, spec.job, places_, spec.farm),
      posters_(spec.job.device) {}

void Explorer::end() {
  farm_.close();
  posters_.stop();
}

std::vector<view::Route> Explorer::routes() {
  using Answer = HttpAnswer (Explorer::*)(const Target&);
  const auto route = [this](std::string_view method, std::vector<std::string_view> path,
                            Answer answer) {
    return view::Route{method, std::move(path), [this, answer](const view::Asked& asked) {
                         return parsed([&] { return (this->*answer)(asked.target); });
                       }};
  };
  return {
      route("GET", {"explore", "*", "*", "begin"}, &Explorer::begin),
      route("GET", {"explore", "*", "*", "pixel"}, &Explorer::pixel),
      route("GET", {"explore", "*", "*", "point"}, &Explorer::point),
      route("GET", {"explore", "*", "*", "*", "*"}, &Explorer::square),
      route("POST", {"api", "places"}, &Explorer::add_place),
      route("GET", {"api", "places", "*"}, &Explorer::place),
      route("GET", {"api", "poster.toml"}, &Explorer::poster),
      route("GET", {"api", "plan"}, &Explorer::plan),
      route("GET", {"api", "find"}, &Explorer::find),
      route("POST", {"api", "render"}, &Explorer::render),
  };
}

report::Json Explorer::facts() {
  return {{"explore",
           {{"place", place_json(start_)},
            {"given", {{"center", spec_.job.center_text}, {"width", spec_.job.width_text}}},
            {"formula", spec_.job.formula_text},
            {"formulas", formulas_json()},
            {"iterations", spec_.exactly ? report::Json(spec_.iterations) : report::Json()},
            {"least_iterations", spec_.iterations},
            {"plain_bits", job::kPlainStepBits - kPixelLevels},
            {"usual_iterations",
             {{"first", job::kFirstIterations}, {"of_level", job::kIterationsOfHalving}}},
            {"may_render", spec_.may_render},
            {"fields", field_names(spec_.job)},
            {"look", view::look_json(spec_.job, spec_.palettes)}}}};
}

Place Explorer::place_at(std::string_view id) {
  const auto place =
      places_.find(static_cast<std::uint64_t>(parse_number(id, "place", 0, kMaxViews, 404)));
  if (!place) throw HttpError(404, "there is no such place");
  return *place;
}

report::Json Explorer::place_json(const Place& place) const {
  const std::int64_t digits = places_of(place, kPixelLevels);
  return {
      {"id", place.id},
      {"center", {deep::rounded(place.center_re, digits), deep::rounded(place.center_im, digits)}},
      {"width", place.span},
      {"digits", digits},
      {"log2_width", std::floor(deep::log2_of(place.span))}};
}

HttpAnswer Explorer::place(const Target& target) {
  return json_answer(place_json(place_at(target.path[2])));
}

/// "place", "level", "x" and "y" of a corner of squares, or "center" and "width".
HttpAnswer Explorer::add_place(const Target& target) {
  Place place;
  if (target.parameter("place").empty()) {
    const std::string center(target.parameter("center"));
    const std::string width(target.parameter("width"));
    job::parse_center(center, "center");
    job::parse_width(width, "width");
    job::RenderJob job;
    job.center_text = center;
    job.width_text = width;
    place = start_of(job);
  } else {
    const auto number = [&](std::string_view name, std::int64_t most) {
      return parse_number(target.parameter(name), name, -most, most);
    };
    place = moved(place_at(target.parameter("place")),
                  static_cast<int>(number("level", kMaxLevel + kPixelLevels)),
                  number("x", kMaxSteps << kPixelLevels), number("y", kMaxSteps << kPixelLevels),
                  spec_.job.image.matrix);
  }
  return json_answer(place_json(places_.add(place)));
}

SquareKey Explorer::key_of(const Target& target) {
  SquareKey key;
  const Place place = place_at(target.path[1]);
  key.place = place.id;
  key.level = level_of(target);
  key.coarse = static_cast<int>(number_or(target, "coarse", 1, 1, kMaxCoarse));
  if (!std::has_single_bit(static_cast<unsigned>(key.coarse))) {
    throw HttpError(400, "coarse: it is not 1, 2, 4, 8 or 16");
  }
  const std::uint64_t usual =
      spec_.exactly ? spec_.iterations
                    : std::max(spec_.iterations, default_iterations(place, key.level));
  key.iterations =
      static_cast<std::uint64_t>(number_or(target, "iterations", static_cast<std::int64_t>(usual),
                                           1, std::int64_t{job::kMaxIterations}));
  key.formula = target.parameter("formula");
  if (key.formula.empty()) key.formula = spec_.job.formula_text;
  key.formula = job::normalized_formula(key.formula);
  return key;
}

HttpAnswer Explorer::square(const Target& target) {
  const std::string_view row = view::without_png(target.path[4]);
  SquareKey key = key_of(target);
  key.x = steps_of(target.path[3], "x");
  key.y = steps_of(row, "y");
  const job::ColorJob look = look_of(target, spec_);
  const SquareFarm::Values values = farm_.values(key, want_of(target));
  return view::png_answer(pictures_.png(key, *values, look), headers_of(*values, key.iterations));
}

/// "squares": x and y of each, in the order in which they should be rendered.
HttpAnswer Explorer::begin(const Target& target) {
  SquareKey key = key_of(target);
  const Want want = want_of(target);
  const std::vector<std::string> numbers = base::split(target.parameter("squares"), ',');
  if (numbers.size() % 2 != 0 || numbers.size() > 2 * kMaxBegun) {
    throw HttpError(400, "squares: it is not a list of pairs");
  }
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    key.x = steps_of(numbers[i], "x");
    key.y = steps_of(numbers[i + 1], "y");
    if (!farm_.known(key)) farm_.begin(key, want);
  }
  return {.status = 204};
}

/// "x" and "y" of a pixel of the level, from the place.
HttpAnswer Explorer::pixel(const Target& target) {
  SquareKey key = key_of(target);
  key.coarse = 1;
  const Place from = place_at(target.path[1]);
  const std::int64_t most = kMaxSteps * kSquarePx;
  const std::int64_t x = parse_number(target.parameter("x"), "x", -most, most - 1);
  const std::int64_t y = parse_number(target.parameter("y"), "y", -most, most - 1);
  key.x = x >> kPixelLevels;
  key.y = y >> kPixelLevels;
  // The middle of the pixel.
  const Place at =
      moved(from, key.level + kPixelLevels + 1, 2 * x + 1, 2 * y + 1, spec_.job.image.matrix);
  const std::int64_t digits = places_of(from, key.level + kPixelLevels);
  report::Json json = {{"re", deep::rounded(at.center_re, digits)},
                       {"im", deep::rounded(at.center_im, digits)},
                       {"iterations", key.iterations},
                       {"perturbation", farm_.image(key).image.deep()},
                       {"count", nullptr},
                       {"smooth", nullptr},
                       {"distance", nullptr},
                       {"inside", nullptr},
                       {"rank", nullptr}};
  const SquareFarm::Values values = farm_.known(key);
  if (!values) return json_answer(json);
  const auto index =
      static_cast<std::size_t>((y & (kSquarePx - 1)) * kSquarePx + (x & (kSquarePx - 1)));
  const std::uint64_t count = values->count(index);
  json["count"] = count;
  json["rank"] = values->rank;
  json["inside"] = count >= key.iterations;
  json["smooth"] = value_at(values->more.smooth, index);
  json["distance"] = value_at(values->more.distance, index);
  return json_answer(json);
}

/// "x" and "y" in parts of a pixel of the level, from the place.
HttpAnswer Explorer::point(const Target& target) {
  const Place from = place_at(target.path[1]);
  const int level = level_of(target) + kPixelLevels + kPointLevels;
  const std::int64_t most = kMaxSteps << (kPixelLevels + kPointLevels);
  const Place at =
      moved(from, level, parse_number(target.parameter("x"), "x", -most, most),
            parse_number(target.parameter("y"), "y", -most, most), spec_.job.image.matrix);
  const std::int64_t digits = places_of(from, level);
  return json_answer(
      {{"re", deep::rounded(at.center_re, digits)}, {"im", deep::rounded(at.center_im, digits)}});
}

HttpAnswer Explorer::poster(const Target& target) {
  return view::fresh_answer("application/toml", poster_job(target, spec_.job, spec_.palettes));
}

HttpAnswer Explorer::find(const Target& target) {
  return view::fresh_answer("application/json", finds_.find(target, spec_.job));
}

HttpAnswer Explorer::plan(const Target& target) {
  return view::fresh_answer("text/plain; charset=utf-8",
                            posters_.plan(poster_job(target, spec_.job, spec_.palettes)));
}

HttpAnswer Explorer::render(const Target& target) {
  if (!spec_.may_render) throw HttpError(403, "tessera explore --allow-render renders posters");
  return json_answer({{"file", posters_.render(poster_job(target, spec_.job, spec_.palettes))}});
}

}  // namespace tessera::explore
