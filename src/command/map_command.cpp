// tessera map: writes expressions of arrays to a file.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/reduce_report.hpp"
#include "command/stop_signals.hpp"
#include "job/arrays/map_job.hpp"
#include "reduce/reduce.hpp"

namespace tessera::command {

void add_map(Syntax& syntax, Action& action) {
  struct Arguments {
    std::string expression;
    std::vector<std::string> inputs;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_argument("EXPRESSION", arguments->expression,
                      "such as 'a + b', or 'c = a + b; d = sqrt(a)' for several arrays in FILE.h5; "
                      "with --output NAME=FILE each may be an argument of its own");
  syntax.add_optional_arguments("INPUT", arguments->inputs,
                                "an INPUT of tessera reduce, named as NAME=INPUT; without a name "
                                "they are a, b, c, ... in order");
  syntax.add_options(job::map_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](run::Context& context) {
      comm::World& world = context.world;
      job::ReduceJob job;
      comm::agree(world, [&] {
        job = job::make_map_job(arguments->expression, arguments->inputs, arguments->given);
      });
      std::optional<reduce::ReduceCheckpoints> checkpoints;
      listen_for_stop(context.run.stop);
      const report::ReduceReport run = reduce::reduce(context, job, checkpoints);
      comm::agree(world, [&] { publish_report(world, job, run, checkpoints); });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
