#include "explore/poster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/printable.hpp"
#include "job/image/coloring.hpp"
#include "view/image_json.hpp"

namespace tessera::explore {
namespace {

constexpr double kMaxPlanSeconds = 60;
constexpr std::size_t kMaxPosters = 10000;

/// Parameters with the names of options of `render`.
constexpr std::array<std::string_view, 5> kPosterNames = {"formula", "center", "width", "size",
                                                          "iterations"};

std::string value_of(const job::RenderJob& job, std::string_view name) {
  const auto row =
      std::ranges::find(job::render_options(), name, &job::Option<job::RenderJob>::name);
  return row->get(job);
}

void put(std::string_view name, std::string value, std::vector<job::Given>& given) {
  if (!value.empty()) given.push_back({std::string(name), std::move(value), std::string(name)});
}

/// The request, with the colours of the page where it has none. An empty parameter is the usual
/// one.
view::Target with_colors_of(const job::RenderJob& job, const view::PaletteFiles& palettes,
                            view::Target target) {
  const report::Json colors = view::look_json(job, palettes);
  for (const auto& [name, value] : colors.items()) {
    const std::string text =
        value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>());
    const bool is_usual = text.empty() || text == "0";
    if (!is_usual) target.parameters.try_emplace(name, text);
  }
  return target;
}

/// What a single pixel is, as it is in the page.
void put_arithmetic(const job::RenderJob& job, std::vector<job::Given>& given) {
  const job::RenderJob usual;
  for (const std::string_view name : {"matrix", "bailout", "arithmetic"}) {
    const std::string value = value_of(job, name);
    if (value != value_of(usual, name)) put(name, value, given);
  }
  const bool may_be_inexact = !job.image.exact && job::make_render_job(given).image.deep();
  if (may_be_inexact) put("exact", value_of(job, "exact"), given);
}

std::vector<job::Given> options_of(const view::Target& target, const job::RenderJob& job,
                                   const view::PaletteFiles& palettes) {
  std::vector<job::Given> given;
  for (const std::string_view name : kPosterNames) {
    const std::string_view value = target.parameter(name);
    put(name, value.empty() ? value_of(job, name) : std::string(value), given);
  }
  put_arithmetic(job, given);
  const job::ColorJob look = view::look_of(with_colors_of(job, palettes, target), palettes);
  put("palette", look.palette, given);
  if (look.palette_cycle > 0) put("palette-cycle", fmt::format("{}", look.palette_cycle), given);
  if (look.palette_offset != 0)
    put("palette-offset", fmt::format("{}", look.palette_offset), given);
  put("palette-scale", job::scale_text(look), given);
  put("inside", look.inside, given);
  if (look.distance > 0) put("distance", fmt::format("{}", look.distance), given);
  put("light", job::light_text(look), given);
  put("equalize", std::string(target.parameter("equalize")), given);
  std::string fields = look.field != "iterations" ? ",smooth" : "";
  if (look.distance > 0) fields += ",distance";
  if (look.light) fields += ",gradient";
  if (!fields.empty()) put("fields", "iterations" + fields, given);
  return given;
}

std::string line_of(const job::Given& one) {
  if (one.value.find_first_of("\"\\") != std::string::npos) {
    throw view::HttpError(400, one.name + ": it has a quotation mark or a backslash");
  }
  const auto row =
      std::ranges::find(job::render_options(), one.name, &job::Option<job::RenderJob>::name);
  const bool bare = row->kind == job::Kind::toggle ||
                    (row->kind == job::Kind::integer &&
                     one.value.find_first_not_of("0123456789") == std::string::npos);
  return bare ? fmt::format("{} = {}\n", one.name, one.value)
              : fmt::format("{} = \"{}\"\n", one.name, one.value);
}

/// A name that no file has yet.
std::string free_name() {
  for (std::size_t number = 1; number < kMaxPosters; ++number) {
    std::string name = fmt::format("poster-{}", number);
    const auto taken = [&](std::string_view suffix) {
      return std::filesystem::exists(name + std::string(suffix));
    };
    if (!taken(".h5") && !taken(".h5.part") && !taken(".png")) return name;
  }
  throw view::HttpError(409, "this folder is full of posters");
}

}  // namespace

std::string poster_job(const view::Target& target, const job::RenderJob& job,
                       const view::PaletteFiles& palettes) {
  std::vector<job::Given> given = options_of(target, job, palettes);
  job::make_render_job(given);
  std::string text;
  for (const job::Given& one : given) text += line_of(one);
  return text;
}

std::string Posters::plan(const std::string& job_file) {
  if (planning_.exchange(true)) throw view::HttpError(429, "another plan is being made");
  ChildProgram program;
  bool ended = false;
  try {
    program = ChildProgram({"plan", "-", "--device", device_}, job_file, true);
    ended = program.wait(kMaxPlanSeconds);
  } catch (...) {
    planning_ = false;
    throw;
  }
  planning_ = false;
  if (!ended) throw view::HttpError(503, "the plan takes too long; try tessera plan");
  if (program.exit_code() != 0) throw view::HttpError(400, base::printable(program.words()));
  return program.words();
}

std::string Posters::render(const std::string& job_file) {
  const std::scoped_lock lock(mutex_);
  if (render_.runs()) throw view::HttpError(429, "another poster is being rendered");
  const std::string name = free_name();
  render_ = ChildProgram({"render", "-", "--quiet", "--device", device_, "--output", name + ".h5",
                          "--png", name + ".png"},
                         job_file, false);
  return name + ".h5";
}

void Posters::stop() {
  const std::scoped_lock lock(mutex_);
  if (render_.runs()) render_.signal(SIGTERM);
}

}  // namespace tessera::explore
