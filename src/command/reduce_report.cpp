#include "command/reduce_report.hpp"

#include "base/file/text_kind.hpp"
#include "command/command_line.hpp"
#include "report/printers.hpp"

namespace tessera::command {

void publish_report(const comm::World& world, const job::ReduceJob& job,
                    const report::ReduceReport& run,
                    std::optional<reduce::ReduceCheckpoints>& checkpoints) {
  if (!world.is_root()) return;
  report::publish(job, report::to_json(run),
                  job.quiet ? report::to_answers(run) : report::to_table(run));
  if (!job.trace.empty()) {
    report::write_text_file(job.trace, report::to_trace("reduce", run.version, run.ranks),
                            base::of_kind(base::kTrace));
  }
  flush_output();
  if (checkpoints) checkpoints->remove();
}

}  // namespace tessera::command
