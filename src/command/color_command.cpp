#include <fmt/format.h>

#include <memory>

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/render_command.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/phases.hpp"
#include "farm/thread_reports.hpp"
#include "job/color_job.hpp"
#include "job/values.hpp"
#include "post/color.hpp"
#include "report/printers.hpp"
#include "store/outputs.hpp"

namespace tessera::command {
namespace {

struct ColorArguments {
  job::ColorJob job;
  std::vector<job::Given> given;
};

std::string line_of(const report::RunReport& run, const std::string& output,
                    const base::ImageSize& size_px) {
  return fmt::format("{}: {} x {} pixels in {}, {}px/s\n", output, size_px.width, size_px.height,
                     base::format_seconds(run.wall_s),
                     base::format_count(static_cast<double>(size_px.pixels()) / run.wall_s));
}

bool writes_stdout(const job::ColorJob& job) {
  return base::is_standard_output(job.output);
}

/// Standard output has room for one document.
void check_stdout(const comm::World& world, const job::ColorJob& job) {
  // A launcher may put a terminal of its own between the ranks and the real output.
  if (!world.has_launcher()) store::check_binary_stdout("OUT.png");
  const bool taken =
      job.json || base::is_standard_output(job.report) || base::is_standard_output(job.trace);
  if (!taken) return;
  throw base::usage_error("OUT.png -: {} writes to standard output, too; name a file",
                          job.json ? "--json" : "another option");
}

void check_picture_output(const comm::World& world, const job::ColorJob& job) {
  if (writes_stdout(job)) return check_stdout(world, job);
  store::check_output(job.output, "OUT.png", job.overwrite);
}

void print(const job::ColorJob& job, const report::RunReport& run, const base::ImageSize& size_px) {
  const bool prints = !job.quiet && !writes_stdout(job);
  report::publish(job, report::to_json(run), prints ? line_of(run, job.output, size_px) : "");
  if (!job.trace.empty())
    report::write_text_file(job.trace, report::to_trace(run.command, run.version, run.ranks));
}

base::ExitCode color(comm::World& world, const ColorArguments& arguments) {
  job::ColorJob job = arguments.job;
  farm::Phases phases(world, "colour", true, true);
  phases.enter(report::Phase::start);
  comm::agree(world, [&] {
    job::apply_options<job::ColorJob>(job, job::color_options(), arguments.given);
    if (!writes_stdout(job)) job::check_suffix(job.output, "OUT.png", ".png");
    if (!world.is_root()) return;
    store::check_distinct({{"FILE.h5", job.input},
                           {"OUT.png", job.output},
                           {"--report", job.report},
                           {"--trace", job.trace}});
    check_picture_output(world, job);
    store::check_text_outputs(
        {{"--report", job.report, store::kReport}, {"--trace", job.trace, store::kTrace}},
        job.overwrite);
    base::pause_if_ordered("output.checked");
  });
  phases.leave();
  post::ColorResult result = post::color_file(world, job);
  report::RunReport run{.command = "color",
                        .version = base::version_and_commit(),
                        .wall_s = base::seconds_between(world.origin(), base::Clock::now()),
                        .job = job::describe(job),
                        .outputs = {{"png", job.output}}};
  report::RankReport mine{.device = "cpu", .threads = {phases.report()}};
  farm::merge_threads(mine.threads, std::move(result.threads));
  run.ranks = farm::gather_reports(world, std::move(mine));
  run.in_flight = farm::in_flight_of(world, result.repeats);
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    run.output_bytes = result.output_bytes;
    print(job, run, result.size_px);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_color(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<ColorArguments>();
  syntax.add_argument("FILE.h5", arguments->job.input, "a rendered file");
  syntax.add_argument("OUT.png", arguments->job.output,
                      "the picture to write; - = standard output");
  add_palette_names(syntax);
  syntax.add_options(job::color_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) { return color(world, *arguments); };
  });
}

}  // namespace tessera::command
