// tessera reduce: computes exact statistics of an array.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/reduce_report.hpp"
#include "job/reduce_job.hpp"
#include "reduce/axes/reduce_axes.hpp"
#include "reduce/groups/reduce_groups.hpp"
#include "reduce/reduce.hpp"

namespace tessera::command {

void add_reduce(Syntax& syntax, Action& action) {
  struct Arguments {
    std::vector<std::string> inputs;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_optional_arguments(
      "INPUT", arguments->inputs,
      "FILE.npy, FILE.h5:/dataset, or raw FILE?dtype=f4&shape=100x200[&offset=BYTES]; "
      "several files, or a pattern with *, are joined along the first dimension. Generated arrays: "
      "random:uniform|normal?count=N[&seed=S][&dtype=f8], "
      "linspace:START,STOP?count=N[&dtype=f8]");
  syntax.add_options(job::reduce_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) {
      job::ReduceJob job;
      comm::agree(world, [&] { job = job::make_reduce_job(arguments->inputs, arguments->given); });
      std::optional<reduce::ReduceCheckpoints> checkpoints;
      const auto reduce = !job.by.empty()    ? &reduce::reduce_groups
                          : job.axes.empty() ? &reduce::reduce
                                             : &reduce::reduce_axes;
      const report::ReduceReport run = reduce(world, job, checkpoints);
      comm::agree(world, [&] { publish_report(world, job, run, checkpoints); });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
