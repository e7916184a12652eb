#include "job/image/explore_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {
namespace {

/// Beside those of the image.
constexpr std::array<std::string_view, 16> kMoreNames = {
    "fields",         "palette", "palette-cycle", "palette-offset", "palette-scale", "inside",
    "distance",       "light",   "device",        "device-memory",  "threads",       "isolate",
    "device-timeout", "memory",  "quiet",         "no-token"};

/// Options, and the field that each needs.
constexpr std::array<std::pair<std::string_view, Field>, 2> kShadings = {
    {{"distance", Field::distance}, {"light", Field::gradient_x}}};

std::vector<Field> explored_fields() {
  return {Field::iterations, Field::smooth};
}

bool is_given(std::span<const Given> given, std::string_view name) {
  return std::ranges::find(given, name, &Given::name) != given.end();
}

/// An edge and light need fields, which are rendered for them unless others are named.
std::vector<Given> with_shading_fields(std::vector<Given> given) {
  const auto fields = std::ranges::find(given, std::string_view("fields"), &Given::name);
  std::string all = "iterations,smooth";
  std::string origin;
  for (const auto& [option, field] : kShadings) {
    const auto shading = std::ranges::find(given, option, &Given::name);
    if (shading == given.end()) continue;
    all += fmt::format(",{}", field_choice(field));
    origin = shading->origin;
    if (fields == given.end() || has_field(parse_fields(fields->value, fields->origin), field))
      continue;
    throw base::usage_error("{}: needs the field {}; add it to {}", origin, field_choice(field),
                            fields->origin);
  }
  if (fields == given.end() && !origin.empty()) given.push_back({"fields", all, origin});
  return given;
}

}  // namespace

std::span<const Option<ExploreJob>> explore_options() {
  static const std::vector<Option<ExploreJob>> options = [] {
    std::vector<Option<ExploreJob>> all;
    for (const Option<ServeJob>& row : serve_options()) {
      const bool in_render = std::ranges::find(render_options(), row.name,
                                               &Option<RenderJob>::name) != render_options().end();
      if (in_render || row.name == "cache") continue;
      Option<ExploreJob>& option = all.emplace_back();
      option = {row.name, row.value, row.help, row.scope, row.kind};
      option.set = row.set;
      option.get = row.get;
    }
    all.push_back(toggle<ExploreJob>({"allow-render", "",
                                      "posters may be rendered from the page, into the current "
                                      "folder"},
                                     &ExploreJob::allow_render));
    return all;
  }();
  return options;
}

std::span<const Option<RenderJob>> explored_options() {
  static const std::vector<Option<RenderJob>> options = [] {
    std::vector<Option<RenderJob>> all;
    for (const Option<RenderJob>& row : render_options()) {
      const bool more = std::ranges::find(kMoreNames, row.name) != kMoreNames.end();
      if (!more && (row.scope != Scope::image || row.name == "interior")) continue;
      all.push_back(row);
      if (row.name == "fields") {
        all.back().get = [](const RenderJob&) { return format_fields(explored_fields()); };
      }
    }
    return all;
  }();
  return options;
}

ExploreJob make_explore_job(std::span<const Given> render, std::span<const Given> own) {
  ExploreJob job;
  job.render = make_render_job(with_shading_fields({render.begin(), render.end()}));
  apply_options<ExploreJob>(job, explore_options(), own);
  // The iterations of a view are the least; those of an option hold at every depth.
  const bool by_depth = job.render.iterations_from == IterationsFrom::depth;
  job.iterations_given = is_given(render, "iterations") && !by_depth;
  job.iterations = by_depth ? 1 : job.render.image.iterations;
  // resolve_arithmetic() has decided for the place of the job; each square decides for itself.
  const std::span<const Given> all = render;
  const auto arithmetic = std::ranges::find(all, std::string_view("arithmetic"), &Given::name);
  job.render.arithmetic_auto = arithmetic == all.end() || arithmetic->value == "auto";
  const bool shaded = is_given(render, "distance") || is_given(render, "light");
  if (!is_given(render, "fields") && !shaded) {
    job.render.fields = explored_fields();
  }
  static_cast<RunSpec&>(job) = job.render;
  return job;
}

}  // namespace tessera::job
