#include "command/picture_run.hpp"

#include <utility>

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/phases.hpp"
#include "farm/thread_reports.hpp"
#include "report/printers.hpp"
#include "store/outputs.hpp"

namespace tessera::command {
namespace {

void check_texts(const PictureRun& run) {
  store::check_text_outputs(
      {{"--report", run.job.report, base::kReport}, {"--trace", run.job.trace, base::kTrace}},
      run.overwrite);
  base::pause_if_ordered("output.checked");
}

void publish(const PictureRun& run, const report::RunReport& report) {
  report::publish(run.job, report::to_json(report), run.job.quiet ? "" : run.line(report));
  if (run.job.trace.empty()) return;
  report::write_text_file(run.job.trace,
                          report::to_trace(report.command, report.version, report.ranks),
                          base::of_kind(base::kTrace));
}

}  // namespace

base::ExitCode run_pictures(comm::World& world, const PictureRun& run) {
  farm::Phases phases(world, run.label, true, true);
  phases.enter(report::Phase::start);
  comm::agree(world, [&] {
    run.check();
    if (world.is_root()) check_texts(run);
  });
  phases.leave();
  report::RunReport report{.command = run.command, .version = base::version_and_commit()};
  MadePictures made = run.make(report);
  report.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  report::RankReport mine{.device = "cpu", .threads = {phases.report()}};
  farm::merge_threads(mine.threads, std::move(made.threads));
  report.ranks = farm::gather_reports(world, std::move(mine));
  report.in_flight = farm::in_flight_of(world, made.repeats);
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    report.output_bytes = made.output_bytes;
    publish(run, report);
  });
  return base::ExitCode::done;
}

}  // namespace tessera::command
