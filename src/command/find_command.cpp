// tessera find: the nucleus of a minibrot or a Misiurewicz point near a place, proven.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "base/decimal.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/from_option.hpp"
#include "command/stop_signals.hpp"
#include "deep/exact_steps.hpp"
#include "find/misiurewicz.hpp"
#include "find/nucleus.hpp"
#include "job/image/find_job.hpp"
#include "job/image/views.hpp"
#include "job/values.hpp"
#include "place/place.hpp"
#include "plane/decimals.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {
namespace {

using find::ScaledReal;
using job::FindJob;

constexpr std::uint64_t kFewestIterations = 1000;
/// A turn below it is rounding.
constexpr double kSmallestTurn = 1e-6;
/// How often a minibrot is as high as its size.
constexpr double kHeightOfMini = 4;
/// Without a width, the neighbourhood is so many units of the last decimal place wide.
constexpr int kUnits = 10;

/// Where to look, and how the result is to be shown.
struct Spot {
  std::string formula = "mandelbrot";
  std::string re, im;
  std::string width;  ///< of the neighbourhood
  base::ImageSize size_px = job::RenderJob().image.size_px;
};

std::string smaller_side(const std::string& width, base::ImageSize size) {
  if (size.height >= size.width) return width;
  return plane::scaled(width, std::to_string(size.height), std::to_string(size.width));
}

std::string width_of_digits(const FindJob& job) {
  const std::int64_t places =
      std::max<std::int64_t>({base::digits_of(job.re).places, base::digits_of(job.im).places, 0});
  return fmt::format("{}e-{}", kUnits, places);
}

Spot spot_of_view(const job::View& view) {
  Spot spot{.formula = std::string(view.formula), .width = std::string(view.width)};
  const job::PointText center = job::split_point(view.center, view.name);
  spot.re = center.re;
  spot.im = center.im;
  spot.width = smaller_side(spot.width, spot.size_px);
  return spot;
}

/// Moves the spot to the middle of a pixel.
void move_to(Spot& spot, const job::Pixel& pixel, const place::Place& place,
             const std::string& width) {
  const base::ImageSize size = spot.size_px;
  if (pixel.x >= size.width || pixel.y >= size.height) {
    throw base::usage_error("--at: the picture has {} pixels", job::format_size(size));
  }
  const std::string step = plane::scaled(width, "1", std::to_string(size.width));
  const std::int64_t right = 2 * pixel.x + 1 - size.width;
  const std::int64_t up = size.height - 2 * pixel.y - 1;
  const plane::Matrix& m = place.matrix;
  spot.re = deep::moved_along(spot.re, step, {m.a, right}, {m.b, up}, 1);
  spot.im = deep::moved_along(spot.im, step, {m.c, right}, {m.d, up}, 1);
}

Spot spot_of_file(const FindJob& job) {
  const place::Place place = place_of_file(job.from);
  Spot spot{place.formula, place.center_re, place.center_im, ""};
  spot.size_px = place.size.value_or(spot.size_px);
  const std::string width = place::width_of(place, spot.size_px);
  spot.width = smaller_side(width, spot.size_px);
  if (job.pixel) move_to(spot, *job.pixel, place, width);
  return spot;
}

Spot spot_of(const FindJob& job) {
  Spot spot;
  if (!job.re.empty()) spot = {.re = job.re, .im = job.im, .width = width_of_digits(job)};
  if (!job.view.empty()) spot = spot_of_view(job::find_view(job.view));
  if (!job.from.empty()) spot = spot_of_file(job);
  if (!job.width.empty()) spot.width = job.width;
  job::parse_width(spot.width, job.from.empty() ? "--near" : job.from);
  if (!job.formula.empty()) spot.formula = job.formula;
  if (job.size_px) spot.size_px = *job.size_px;
  return spot;
}

ScaledReal scaled(const std::string& decimal) {
  constexpr std::int64_t kBits = 64;
  return find::BigReal(decimal, kBits).scaled();
}

find::Neighbourhood neighbourhood_of(const FindJob& job, const Spot& spot) {
  const job::Formula formula = job::parse_formula(spot.formula, "--formula");
  find::Neighbourhood place{
      .formula = {formula.id, formula.degree, formula.constant_re_text, formula.constant_im_text},
      .re = spot.re,
      .im = spot.im,
      .radius = scaled(spot.width) * ScaledReal(0.5),
      .most = job.max_period,
      .places = job.places};
  if (place.formula.has_constant()) {
    throw base::usage_error(
        "--formula: all pixels of a Julia set have one parameter; find looks "
        "for parameters");
  }
  if (job.misiurewicz && place.formula.fold() != kernels::TS_FOLD_NONE) {
    throw base::usage_error(
        "--misiurewicz: is for mandelbrot and multibrot, whose steps are analytic");
  }
  return place;
}

/// What is printed of either kind of point.
struct Found {
  find::Point point;
  std::string kind;  ///< with its numbers, for people
  report::Json facts;
  std::vector<std::pair<std::string, std::string>> lines;  ///< more for people
  std::vector<job::Given> options;
};

void add(Found& found, std::string_view name, const std::string& value) {
  found.options.push_back({std::string(name), value, "find"});
}

/// Images of a zoom to this width, each half as wide as the one before, from the whole set on.
std::int64_t frames_to(const std::string& width) {
  const double halvings = std::log2(job::RenderJob().image.width) - find::log2_of(scaled(width));
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(halvings)), 1) + 1;
}

void add_place(Found& found, const FindJob& job, const Spot& spot, const std::string& width) {
  if (spot.formula != Spot().formula) add(found, "formula", spot.formula);
  add(found, "center", found.point.re + "," + found.point.im);
  add(found, "width", width);
  if (job.film) add(found, "frames", std::to_string(frames_to(width)));
  if (spot.size_px != Spot().size_px) add(found, "size", job::format_size(spot.size_px));
}

std::string short_decimal(const ScaledReal& value) {
  constexpr int kDigits = 5;
  plane::Real real = value.m;
  mpfr_mul_2si(real.get(), real.get(), static_cast<long>(value.e), MPFR_RNDN);
  return plane::decimal_of(real, kDigits);
}

/// From the width of the neighbourhood towards a picture of the whole minibrot.
std::string width_at(const job::Stop& stop, const Spot& spot, const ScaledReal& size) {
  const double aspect =
      static_cast<double>(spot.size_px.width) / static_cast<double>(spot.size_px.height);
  const double last = find::log2_of(size) + std::log2(kHeightOfMini * aspect);
  const double first = find::log2_of(scaled(spot.width));
  return short_decimal(find::power_of_two((1 - stop.part) * first + stop.part * last));
}

void add_turn(Found& found, const find::Shape& shape, bool is_analytic) {
  if (!is_analytic) {
    const plane::Matrix m{shape.a, shape.b, shape.c, shape.d};
    return add(found, "matrix", plane::text_of(m));
  }
  if (std::abs(shape.turn_degrees) < kSmallestTurn) return;
  add(found, "rotate", fmt::format("{:.6f}", shape.turn_degrees));
}

Found found_of(const find::Nucleus& nucleus, const FindJob& job, const Spot& spot) {
  const find::Shape& shape = nucleus.shape;
  const job::Stop& stop = job::stop_of(job);
  Found found{nucleus.point, fmt::format("a nucleus of period {}", nucleus.period), {}, {}, {}};
  const std::string size = find::short_text(shape.size);
  found.lines = {{"size", size + ", estimated"},
                 {"turn", fmt::format("{:.6f} degrees, estimated", shape.turn_degrees)}};
  found.facts["kind"] = "nucleus";
  if (nucleus.cardioid) {
    const std::string body = *nucleus.cardioid ? "cardioid" : "disc";
    found.lines.insert(found.lines.begin(),
                       {"body", *nucleus.cardioid ? "a cardioid, estimated"
                                                  : "a disc on a larger one, estimated"});
    found.facts["body"] = body;
  }
  found.facts["period"] = nucleus.period;
  found.facts["size"] = size;
  found.facts["turn_degrees"] = shape.turn_degrees;
  found.facts["matrix"] = {{shape.a, shape.b}, {shape.c, shape.d}};
  add_place(found, job, spot, width_at(stop, spot, shape.size));
  const job::Formula formula = job::parse_formula(spot.formula, "--formula");
  add_turn(found, shape, kernels::kFormulas[formula.id].fold == kernels::TS_FOLD_NONE);
  const std::uint64_t iterations =
      std::max(static_cast<std::uint64_t>(nucleus.period * stop.of_iterations), kFewestIterations);
  add(found, "iterations", std::to_string(iterations));
  return found;
}

Found found_of(const find::Misiurewicz& point, const FindJob& job, const Spot& spot) {
  Found found{point.point,
              fmt::format("a Misiurewicz point of preperiod {} and period {}", point.preperiod,
                          point.period),
              {},
              {},
              {}};
  const std::string factor = find::short_text(point.factor);
  found.lines = {{"scale", fmt::format("{} and {:.6f} degrees from one copy to the next, estimated",
                                       factor, point.turn_degrees)}};
  found.facts["kind"] = "misiurewicz";
  found.facts["preperiod"] = point.preperiod;
  found.facts["period"] = point.period;
  found.facts["scale"] = factor;
  found.facts["turn_degrees"] = point.turn_degrees;
  add_place(found, job, spot, spot.width);
  return found;
}

base::Error none_error(const FindJob& job, const find::Nothing& nothing) {
  std::string text =
      fmt::format("find: no {} is proven within {} of the point",
                  job.misiurewicz ? "Misiurewicz point" : "nucleus", short_decimal(nothing.radius));
  if (nothing.impossible) text += "; above the real axis no orbit of the burning-ship returns to 0";
  if (nothing.candidates > 0) text += fmt::format("; {} candidates", nothing.candidates);
  if (nothing.outside > 0) text += fmt::format(", {} of them farther away", nothing.outside);
  if (nothing.folded > 0)
    text += fmt::format(", {} on a fold, where no proof is known", nothing.folded);
  if (nothing.most > 0) text += fmt::format("; orbits were followed for {} steps", nothing.most);
  return base::missing_error("{}", text);
}

template <class Result>
Found taken(const std::variant<Result, find::Nothing>& result, const FindJob& job,
            const Spot& spot) {
  if (const auto* nothing = std::get_if<find::Nothing>(&result)) throw none_error(job, *nothing);
  return found_of(std::get<Result>(result), job, spot);
}

report::Json json_of(const Found& found, const Spot& spot) {
  report::Json json = report::document("find");
  json["formula"] = spot.formula;
  json["near"] = {spot.re, spot.im};
  json["neighbourhood"] = spot.width;
  json.update(found.facts);
  json["center"] = {found.point.re, found.point.im};
  json["places"] = found.point.places;
  json["error"] = find::rounded_up(found.point.error);
  json["alone_within"] = find::rounded_down(found.point.radius);
  json["options"] = report::Json::array();
  for (const job::Given& one : found.options) {
    json["options"].push_back(fmt::format("--{}={}", one.name, one.value));
  }
  json["command"] = render_command_of(found.options);
  return json;
}

void print_lines(const Found& found) {
  const auto line = [](std::string_view name, std::string_view value) {
    fmt::print("{:<8} {}\n", name, value);
  };
  line("found", found.kind + ", proven");
  line("re", found.point.re);
  line("im", found.point.im);
  line("error",
       fmt::format("at most {}; there is no other within {}", find::rounded_up(found.point.error),
                   find::rounded_down(found.point.radius)));
  for (const auto& [name, value] : found.lines) line(name, value);
}

void find_and_print(const FindJob& job) {
  const Spot spot = spot_of(job);
  const find::Neighbourhood place = neighbourhood_of(job, spot);
  const Found found = job.misiurewicz ? taken(find::find_misiurewicz(place), job, spot)
                                      : taken(find::find_nucleus(place), job, spot);
  if (job.json) {
    fmt::print("{}", report::dump(json_of(found, spot)));
    return;
  }
  if (!job.quiet) print_lines(found);
  fmt::print("{}\n", render_command_of(found.options));
}

base::ExitCode run_find(run::Context& context, const std::vector<job::Given>& given) {
  comm::World& world = context.world;
  comm::agree(world, [&] {
    const FindJob job = job::make_find_job(given);
    listen_for_stop(context.run.stop);
    if (world.is_root()) find_and_print(job);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_find(Syntax& syntax, Action& action) {
  auto given = std::make_shared<std::vector<job::Given>>();
  syntax.add_options(job::find_options(), *given);
  set_action(syntax, action, [given](run::Context& context) { return run_find(context, *given); });
}

}  // namespace tessera::command
