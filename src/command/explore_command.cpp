// tessera explore: shows any place of any formula in a browser, rendered while it is looked at.
#include <algorithm>
#include <memory>
#include <optional>

#include "base/run.hpp"
#include "binding/device_choice.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/page/page_memory.hpp"
#include "command/render_command.hpp"
#include "command/serve_command.hpp"
#include "command/stop_signals.hpp"
#include "explore/explorer.hpp"
#include "explore/ranks.hpp"
#include "job/image/explore_job.hpp"
#include "job/memory.hpp"
#include "view/http/http_server.hpp"
#include "view/viewer.hpp"

namespace tessera::command {
namespace {

struct ExploreArguments {
  RenderArguments render;
  std::vector<job::Given> given;
};

view::PaletteFiles palettes_of(const job::ExploreJob& job) {
  return view::palette_files(job.palette_files, job.render.palette);
}

explore::ExploreSpec explore_spec(const job::ExploreJob& job) {
  const std::uint64_t rest = job.memory_bytes - std::min(job.memory_bytes, job::kProgramBytes);
  return {.job = job.render,
          .iterations = job.iterations,
          .exactly = job.iterations_given,
          .farm = {.cache_bytes = static_cast<std::size_t>(rest / 2),
                   .orbit_bytes = static_cast<std::size_t>(rest / 4)},
          .palettes = palettes_of(job),
          .may_render = job.allow_render};
}

/// Posters are images that the viewer shows.
view::ViewerSpec poster_viewer_spec(const job::ExploreJob& job, explore::Explorer& explorer,
                                    const PageMemory& memory) {
  const std::uint64_t rest = job.memory_bytes - std::min(job.memory_bytes, job::kProgramBytes);
  view::ViewerSpec spec{.routes = explorer.routes(), .facts = explorer.facts()};
  if (job.allow_render) spec.paths = {"."};
  spec.cache_bytes = static_cast<std::size_t>(rest / 16);
  spec.memory_bytes = rest / 8;
  spec.palettes = palettes_of(job);
  if (job.allow_render && job.no_token) {
    throw base::usage_error("--no-token: --allow-render needs the token");
  }
  spec.token = token_of(job, memory);
  return spec;
}

void explore_until_stopped(comm::World& world, job::ExploreJob job, binding::Lanes& lanes) {
  explore::Explorer explorer(explore_spec(job), lanes);
  PageMemory memory("explore");
  const view::ViewerSpec spec = poster_viewer_spec(job, explorer, memory);
  view::Viewer viewer(spec);
  view::HttpServer server([&](const view::HttpRequest& request) { return viewer.answer(request); },
                          kMaxConnections);
  job.port = memory.listen(server, job, "--listen");
  print_page_address(job, world.host(), spec.token);
  explore::run_coordinator(world, explorer.farm());
  explorer.end();
  server.stop();
}

base::ExitCode run_explore(run::Context& context, const ExploreArguments& arguments) {
  comm::World& world = context.world;
  job::ExploreJob job;
  const std::vector<job::Given> given = arguments.render.all_given(world);
  comm::agree(world, [&] {
    job = job::make_explore_job(given, arguments.given);
    if (world.is_root()) palettes_of(job);
  });
  const auto devices = binding::choose_devices(world, job.device, job);
  std::optional<binding::Lanes> lanes;
  comm::agree(world, [&] { binding::open_chosen(lanes, job.device, devices, job, world); });
  comm::agree(world, [&] {
    listen_for_stop(context.run.stop);
    if (world.is_root()) return explore_until_stopped(world, job, *lanes);
    explore::run_worker(world, *lanes, job.render, explore_spec(job).farm);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_explore(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<ExploreArguments>();
  syntax.add_optional_argument("JOB.toml", arguments->render.job_file,
                               "a job file of render, whose place is where the page begins");
  add_palette_names(syntax);
  syntax.add_options(job::explored_options(), arguments->render.given, {},
                     &arguments->render.defaults);
  syntax.add_options(job::explore_options(), arguments->given);
  set_action(syntax, action,
             [arguments](run::Context& context) { return run_explore(context, *arguments); });
}

}  // namespace tessera::command
