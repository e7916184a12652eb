#include "command/render_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/text.hpp"
#include "color/palette.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/job_file.hpp"
#include "job/resolution.hpp"
#include "job/values.hpp"
#include "post/recipe.hpp"
#include "render/render.hpp"
#include "report/printers.hpp"

namespace tessera::command {

namespace {

const job::Given* last_of(const std::vector<job::Given>& given, std::string_view name) {
  const auto found = std::find_if(given.rbegin(), given.rend(),
                                  [&](const job::Given& one) { return one.name == name; });
  return found == given.rend() ? nullptr : &*found;
}

/// Inserts the options that --from means before those that were given, which win.
void add_recipe(std::vector<job::Given>& all) {
  const job::Given* const from = last_of(all, "from");
  const job::Given* const region = last_of(all, "region");
  if (region && !from) {
    throw base::usage_error("{}: needs --from, the picture that it is a part of", region->origin);
  }
  if (!from) return;
  if (const job::Given* const view = last_of(all, "view")) {
    throw base::usage_error("{}: --from names a place too; take one of the two", view->origin);
  }
  std::optional<base::PixelRect> part;
  if (region) part = job::parse_region(region->value, region->origin);
  const auto recipe = post::recipe_of_file(from->value, part, region ? region->origin : "");
  all.insert(all.begin(), recipe.begin(), recipe.end());
}

}  // namespace

job::RenderJob RenderArguments::make_job() const {
  std::vector<job::Given> all;
  if (!job_file.empty()) all = job::read_job_file(job_file, job::render_options());
  all.insert(all.end(), given.begin(), given.end());
  add_recipe(all);
  return job::make_render_job(all);
}

void add_palette_names(Syntax& syntax) {
  std::vector<std::string> names;
  for (const color::Palette& palette : color::builtin_palettes()) names.push_back(palette.name);
  syntax.add_note("palette", ": " + base::join(names));
}

std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax) {
  auto arguments = std::make_shared<RenderArguments>();
  syntax.add_optional_argument("JOB.toml", arguments->job_file,
                               "a job file; its keys are the options below");
  add_palette_names(syntax);
  syntax.add_options(job::render_options(), arguments->given);
  return arguments;
}

namespace {

void warn_of_rounding(const job::RenderJob& job) {
  const std::string center = job::rounded_center(job);
  if (center.empty()) return;
  fmt::print(stderr, "tessera: --center {}: has more digits than 64-bit floats; rounded to {}\n",
             job.center_text, center);
}

}  // namespace

void add_render(Syntax& syntax, Action& action) {
  const auto arguments = add_render_arguments(syntax);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) {
      job::RenderJob job;
      comm::agree(world, [&] { job = arguments->make_job(); });
      if (world.is_root() && !job.quiet) warn_of_rounding(job);
      const report::RunReport run = render::render(world, job);
      comm::agree(world, [&] {
        if (!world.is_root()) return;
        if (!job.report.empty()) report::write_text_file(job.report, report::to_json(run));
        if (!job.trace.empty())
          report::write_text_file(job.trace, report::to_trace(run.command, run.version, run.ranks));
        if (!job.quiet) fmt::print("{}", report::to_table(run));
        std::fflush(stdout);
      });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
