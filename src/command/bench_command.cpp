// tessera bench: measures from which problem size on a GPU is faster than the CPU cores.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/file/posix_file.hpp"
#include "base/file/text_kind.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bench/bench.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "report/bench_printers.hpp"
#include "report/printers.hpp"

namespace tessera::command {
namespace {

void check_alone(const comm::World& world) {
  if (world.size() == 1) return;
  throw base::usage_error(
      "bench compares the devices of one machine, and {} ranks would disturb each other; start it "
      "without mpirun, or with: mpirun -n 1 --bind-to none",
      world.size());
}

void print(const job::BenchJob& job, const report::BenchReport& bench) {
  const bool prints_table = !job.quiet && !base::is_standard_output(job.plot);
  report::publish(job, report::to_json(bench), prints_table ? report::to_table(bench) : "");
  if (!job.plot.empty()) {
    report::write_text_file(job.plot, report::to_svg(bench), base::of_kind(base::kPlot));
  }
  std::fflush(stdout);
}

base::ExitCode bench(comm::World& world, const std::vector<job::Given>& given) {
  job::BenchJob job;
  comm::agree(world, [&] {
    job::apply_options<job::BenchJob>(job, job::bench_options(), given);
    check_alone(world);
    bench::check_bench_job(job);
  });
  report::BenchReport report = bench::run_bench(job, binding::place_of(world, job));
  report.version = base::version_and_commit();
  report.host = world.host();
  report.job = job::describe(job);
  report.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  print(job, report);
  if (!report.problems.empty()) throw base::run_error("{}", base::join(report.problems, "; "));
  return base::ExitCode::done;
}

}  // namespace

void add_bench(Syntax& syntax, Action& action) {
  auto given = std::make_shared<std::vector<job::Given>>();
  syntax.add_options(job::bench_options(), *given);
  set_action(syntax, action,
             [given](run::Context& context) { return bench(context.world, *given); });
}

}  // namespace tessera::command
