#include "command/render_command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/file/posix_file.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "command/command_line.hpp"
#include "job/job_file.hpp"
#include "job/resolution.hpp"
#include "render/render.hpp"
#include "report/printers.hpp"

namespace tessera::command {

namespace {

/// Collective. Only the gather rank has the text of standard input.
std::string take_job_text(comm::World& world, const std::string& path) {
  const bool shared = path == base::kStandardInput;
  std::string text;
  comm::agree(world, [&] {
    if (!path.empty() && (world.is_root() || !shared)) text = job::read_job_text(path);
  });
  return shared ? comm::broadcast_value(world, text) : text;
}

}  // namespace

job::RenderJob RenderArguments::make_job(comm::World& world) const {
  const std::string text = take_job_text(world, job_file);
  job::RenderJob job;
  comm::agree(world, [&] {
    const std::string name = job_file == base::kStandardInput ? "standard input" : job_file;
    std::vector<job::Given> all = job::parse_job_text(name, text, job::render_options());
    all.insert(all.end(), given.begin(), given.end());
    job = job::make_render_job(all);
  });
  return job;
}

std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax) {
  auto arguments = std::make_shared<RenderArguments>();
  syntax.add_optional_argument("JOB.toml", arguments->job_file,
                               "a job file (- is standard input); its keys are the options below");
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
      const job::RenderJob job = arguments->make_job(world);
      if (world.is_root() && !job.quiet) warn_of_rounding(job);
      const report::RunReport run = render::render(world, job);
      comm::agree(world, [&] {
        if (!world.is_root()) return;
        report::publish(job, report::to_json(run), job.quiet ? "" : report::to_table(run));
        if (!job.trace.empty())
          report::write_text_file(job.trace, report::to_trace(run.command, run.version, run.ranks));
        std::fflush(stdout);
      });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
