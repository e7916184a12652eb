#include "command/render_command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/job_file.hpp"
#include "job/resolution.hpp"
#include "render/render.hpp"
#include "report/printers.hpp"

namespace tessera::command {

job::RenderJob RenderArguments::make_job() const {
  std::vector<job::Given> all;
  if (!job_file.empty()) all = job::read_job_file(job_file, job::render_options());
  all.insert(all.end(), given.begin(), given.end());
  return job::make_render_job(all);
}

std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax) {
  auto arguments = std::make_shared<RenderArguments>();
  syntax.add_optional_argument("JOB.toml", arguments->job_file,
                               "a job file; its keys are the options below");
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
