#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/decimal.hpp"
#include "command/command_line.hpp"
#include "job/image/render_job.hpp"
#include "job/image/views.hpp"
#include "job/values.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {

namespace {

/// Longer ones fill the screen; --json has them.
constexpr std::size_t kPrintedCenter = 100;

void print_view(const job::View& view) {
  if (view.center.size() > kPrintedCenter) {
    fmt::print("{:<16} {}\n{:<16} --view {} (width {}, {} iterations)\n", view.name,
               view.description, "", view.name, view.width, view.iterations);
    return;
  }
  const bool usual = view.formula == job::RenderJob().formula_text;
  fmt::print("{:<16} {}\n{:<16} {}--center {} --width {} --iterations {}\n", view.name,
             view.description, "", usual ? "" : fmt::format("--formula {} ", view.formula),
             view.center, view.width, view.iterations);
}

report::Json json_of(const job::View& view) {
  const job::Center center = job::parse_center(view.center, view.name);
  return {{"name", view.name},
          {"description", view.description},
          {"formula", view.formula},
          {"center", view.center},
          {"center_re", center.re},
          {"center_im", center.im},
          {"width", base::nearest_real(view.width, view.name)},
          {"width_text", view.width},
          {"iterations", view.iterations}};
}

base::ExitCode show_views(const comm::World& world, bool as_json) {
  if (!world.is_root()) return base::ExitCode::done;
  if (!as_json) std::ranges::for_each(job::views(), print_view);
  report::Json json = report::document("views");
  for (const job::View& view : job::views()) json["views"].push_back(json_of(view));
  if (as_json) fmt::print("{}", report::dump(json));
  return base::ExitCode::done;
}

}  // namespace

void add_views(Syntax& syntax, Action& action) {
  auto job = std::make_shared<job::RunSpec>();
  add_json(syntax, *job);
  set_action(syntax, action,
             [job](run::Context& context) { return show_views(context.world, job->json); });
}

}  // namespace tessera::command
