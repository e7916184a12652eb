// tessera publish: a page of a rendered file that any web server can show.
#include <fmt/format.h>

#include <memory>

#include "base/text.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/stop_signals.hpp"
#include "device/host/cpu_threads.hpp"
#include "job/image/publish_job.hpp"
#include "view/published.hpp"

namespace tessera::command {
namespace {

struct PublishArguments {
  job::PublishJob job;
  std::vector<job::Given> given;
};

base::ExitCode publish(run::Context& context, const PublishArguments& arguments) {
  comm::World& world = context.world;
  job::PublishJob job = arguments.job;
  comm::agree(world, [&] {
    job::apply_options<job::PublishJob>(job, job::publish_options(), arguments.given);
    if (world.size() > 1) {
      throw base::usage_error("tessera publish: runs as one process, not {}", world.size());
    }
  });
  listen_for_stop(context.run.stop);
  const int threads = device::cpu_threads(binding::place_of(world, job), device::count_cores());
  const view::Published made = view::publish(job, threads);
  if (!job.quiet) {
    fmt::print("{}: {} in {}, {}{}\n", job.output, base::count_of(made.pictures, "picture"),
               made.tiles, base::format_bytes(static_cast<double>(made.bytes)),
               made.stored < made.pictures ? fmt::format(", {} different", made.stored) : "");
  }
  return base::ExitCode::done;
}

}  // namespace

void add_publish(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<PublishArguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_argument("OUT", arguments->job.output, "the folder to make");
  syntax.add_options(job::publish_options(), arguments->given);
  set_action(syntax, action,
             [arguments](run::Context& context) { return publish(context, *arguments); });
}

}  // namespace tessera::command
