// tessera map: writes expressions of arrays to a file.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/reduce_report.hpp"
#include "command/site_defaults.hpp"
#include "command/stop_signals.hpp"
#include "job/arrays/map_job.hpp"
#include "reduce/reduce.hpp"

namespace tessera::command {

void add_map(Syntax& syntax, Action& action) {
  struct Arguments {
    std::string expression;
    std::vector<std::string> inputs;
    std::vector<job::Given> given;
    std::vector<job::Given> defaults;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_argument("EXPRESSION", arguments->expression,
                      "such as 'a + b', or 'c = a + b; d = sqrt(a)' for several arrays in FILE.h5; "
                      "with --output NAME=FILE each may be an argument of its own");
  syntax.add_optional_arguments("INPUT", arguments->inputs,
                                "an INPUT of tessera reduce, named as NAME=INPUT; without a name "
                                "they are a, b, c, ... in order");
  syntax.add_options(job::map_options(), arguments->given, {}, &arguments->defaults);
  // Only a file with chunks takes it.
  std::erase_if(arguments->defaults, [](const job::Given& one) { return one.name == "compress"; });
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    job::MapJob job;
    comm::agree(world, [&] {
      job = job::make_map_job(arguments->expression, arguments->inputs,
                              joined(arguments->defaults, arguments->given));
    });
    job.defaults = defaults_text(arguments->defaults, arguments->given);
    listen_for_stop(context.run.stop);
    run_and_publish(context, job, nullptr,
                    [&](auto& checkpoints) { return reduce::map(context, job, checkpoints); });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
