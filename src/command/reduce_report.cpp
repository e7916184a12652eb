#include "command/reduce_report.hpp"

#include <utility>

#include "base/file/text_kind.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/page/run_page.hpp"
#include "farm/stopped_run.hpp"
#include "job/run_options.hpp"
#include "report/printers.hpp"
#include "report/starts.hpp"

namespace tessera::command {
namespace {

/// On the gather rank.
void publish_report(const job::ArrayJob& job, report::ReduceReport run, report::LiveRun* live) {
  const bool stopped = !run.state.stopped.empty();
  if (live) live->end(stopped ? "stopped" : "complete");
  if (!job.defaults.empty()) run.job.emplace_back("defaults", job.defaults);
  if (!job.overwrite) {
    run.state.earlier =
        report::earlier_starts(job.report, run.command, run.job, &job::is_run_option);
  }
  const std::string text = stopped     ? ""
                           : job.quiet ? report::to_answers(run)
                                       : report::to_table(run);
  report::publish(job, report::to_json(run), text);
  if (!job.trace.empty()) {
    report::write_text_file(job.trace, report::to_trace("reduce", run.version, run.ranks),
                            base::of_kind(base::kTrace));
  }
  flush_output();
  if (live && !job.report_html.empty()) write_run_page(job, *live, run);
}

}  // namespace

void run_and_publish(run::Context& context, const job::ArrayJob& job, report::LiveRun* live,
                     const ReduceRun& run) {
  comm::World& world = context.world;
  std::optional<reduce::ReduceCheckpoints> checkpoints;
  try {
    report::ReduceReport done = run(checkpoints);
    comm::agree(world, [&] {
      if (!world.is_root()) return;
      publish_report(job, std::move(done), live);
      if (checkpoints) checkpoints->remove();
    });
  } catch (farm::StoppedRun<report::ReduceReport>& stopped) {
    if (!job.pool.empty()) throw;  // it is of a share
    comm::agree(world, [&] {
      if (world.is_root()) publish_report(job, stopped.take_report(), live);
    });
    throw;
  }
}

}  // namespace tessera::command
