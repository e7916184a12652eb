#include "job/image/coloring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Row = Option<Coloring>;

constexpr double kMaxCycles = 1000;
constexpr double kWidestEdgePx = 1000;

void set_cycle(Coloring& job, std::string_view text, std::string_view what) {
  job.equalize_auto = false;
  job.palette_cycle = base::parse_real(text, what);
  if (job.palette_cycle > 0 && job.palette_cycle <= kMaxCycles) return;
  throw base::usage_error("{}: '{}' is not above 0 and at most {}", what, text, kMaxCycles);
}

void set_offset(Coloring& job, std::string_view text, std::string_view what) {
  job.palette_offset = base::parse_real(text, what);
  if (job.palette_offset >= -1 && job.palette_offset <= 1) return;
  throw base::usage_error("{}: '{}' is not a part of the palette, from -1 to 1", what, text);
}

/// In the order of PaletteScale::Kind.
constexpr std::array<std::string_view, 4> kScales = {"log", "linear", "sqrt", "cbrt"};
constexpr double kLongestPeriod = 1e16;

void set_scale(Coloring& job, std::string_view text, std::string_view what) {
  const std::string given(base::trim(text));
  const std::size_t end = std::min(given.find(':'), given.size());
  const auto kind = find_name(kScales, given.substr(0, end), what, "scale");
  job.palette_scale = {};
  if (kind == 0) {
    if (end < given.size()) throw base::usage_error("{}: 'log' takes --palette-cycle", what);
    return;
  }
  const std::string period = end < given.size() ? given.substr(end + 1) : "";
  if (period.empty()) {
    throw base::usage_error("{}: after how much does the palette repeat? Write {}:N", what, given);
  }
  job.equalize_auto = false;
  job.palette_scale = {static_cast<PaletteScale::Kind>(kind), base::parse_real(period, what)};
  if (job.palette_scale.period > 0 && job.palette_scale.period <= kLongestPeriod) return;
  throw base::usage_error("{}: '{}' is not above 0 and at most {}", what, period, kLongestPeriod);
}

void set_distance(Coloring& job, std::string_view text, std::string_view what) {
  job.distance = base::parse_real(text, what);
  if (job.distance > 0 && job.distance <= kWidestEdgePx) return;
  throw base::usage_error("{}: '{}' is not above 0 and at most {}", what, text, kWidestEdgePx);
}

constexpr double kHighestLight = 100;

void set_light(Coloring& job, std::string_view text, std::string_view what) {
  const std::size_t comma = text.find(',');
  Light light{.azimuth_deg = base::parse_real(text.substr(0, comma), what)};
  if (comma != std::string_view::npos)
    light.height = base::parse_real(text.substr(comma + 1), what);
  if (!(light.azimuth_deg >= -360 && light.azimuth_deg <= 360)) {
    throw base::usage_error("{}: '{}' is no direction from -360 to 360 degrees", what, text);
  }
  if (!(light.height >= 0 && light.height <= kHighestLight)) {
    throw base::usage_error("{}: '{}' has no height from 0 to {}", what, text, kHighestLight);
  }
  job.light = light;
}

void set_depth(Coloring& job, std::string_view text, std::string_view what) {
  const std::string_view depth = base::trim(text);
  if (depth != "8" && depth != "16") {
    throw base::usage_error("{}: '{}' is neither 8 nor 16", what, depth);
  }
  job.png_depth = depth == "8" ? 8 : 16;
}

/// `false` in a job file is a decision, too.
Row equalize_row() {
  Row row = toggle({"equalize", "",
                    "use every colour for the same number of pixels; the default for images deeper "
                    "than f64 without --palette-cycle",
                    Scope::output},
                   &Coloring::equalize);
  row.set = [set = row.set](Coloring& job, std::string_view text, std::string_view what) {
    set(job, text, what);
    job.equalize_auto = false;
  };
  row.get = [get = row.get](const Coloring& job) { return job.equalize_auto ? "" : get(job); };
  return row;
}

std::vector<Row> make_coloring_rows() {
  return {
      name({"palette", "NAME",
            "colours of the picture: a file, or one that 'tessera palettes' shows", Scope::output},
           &Coloring::palette),
      {"palette-cycle", "X",
       "palette cycles per doubling of the iterations (default 0.35); with --equalize, cycles in "
       "the picture (default 1)",
       Scope::output, Kind::number, set_cycle,
       [](const Coloring& job) {
         return job.palette_cycle == 0 ? "" : fmt::format("{}", job.palette_cycle);
       }},
      {"palette-offset", "X", "shift the palette by this part of a cycle, -1 to 1", Scope::output,
       Kind::number, set_offset,
       [](const Coloring& job) { return fmt::format("{}", job.palette_offset); }},
      {"palette-scale", "SCALE",
       "log, or linear:N: the palette repeats every N iterations; or sqrt:N, cbrt:N: whenever "
       "the root of the iterations has grown by N [log]",
       Scope::output, Kind::text, set_scale, scale_text},
      optional_path(
          {"inside", "COLOR",
           "colour of the points that never escape: #rrggbb or R,G,B ('' = as in the palette)",
           Scope::output},
          &Coloring::inside),
      {"distance", "PX",
       "outline the set and its filaments, PX pixels wide, in the inside colour; needs the field "
       "distance",
       Scope::output, Kind::number, set_distance,
       [](const Coloring& job) {
         return job.distance == 0 ? "" : fmt::format("{}", job.distance);
       }},
      {"light", "DEG[,HEIGHT]",
       "light the slopes of the distance, from DEG degrees anticlockwise from the right; HEIGHT 0 "
       "to 100: the higher, the flatter [1.5]; needs the field gradient",
       Scope::output, Kind::number, set_light, light_text},
      equalize_row(),
      {"png-depth", "8|16",
       "bits per colour channel of the PNG; smooth colours of 8 bits are dithered", Scope::output,
       Kind::integer, set_depth, [](const Coloring& job) { return std::to_string(job.png_depth); }},
  };
}

}  // namespace

const std::vector<Option<Coloring>>& coloring_rows() {
  static const std::vector<Row> rows = make_coloring_rows();
  return rows;
}

std::string light_text(const Coloring& job) {
  return job.light ? fmt::format("{},{}", job.light->azimuth_deg, job.light->height) : "";
}

std::string scale_text(const Coloring& job) {
  const auto [kind, period] = job.palette_scale;
  if (kind == PaletteScale::Kind::log) return "";
  return fmt::format("{}:{}", kScales[static_cast<std::size_t>(kind)], period);
}

void settle_colors(Coloring& coloring, bool beyond_f64) {
  if (coloring.palette_scale.kind != PaletteScale::Kind::log) {
    const bool cycles = coloring.palette_cycle > 0;
    if (cycles || (coloring.equalize && !coloring.equalize_auto)) {
      throw base::usage_error("--palette-scale {}: leave out --{}", scale_text(coloring),
                              cycles ? "palette-cycle" : "equalize");
    }
    coloring.equalize = coloring.equalize_auto = false;
    return;
  }
  if (coloring.equalize_auto) coloring.equalize = beyond_f64;
  coloring.equalize_auto = false;
}

}  // namespace tessera::job
