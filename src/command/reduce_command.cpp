// tessera reduce: computes exact statistics of an array.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/page/run_page.hpp"
#include "command/reduce_report.hpp"
#include "command/site_defaults.hpp"
#include "command/stop_signals.hpp"
#include "job/arrays/reduce_identity.hpp"
#include "job/arrays/reduce_job.hpp"
#include "pool/pool.hpp"
#include "reduce/reduce.hpp"

namespace tessera::command {

void add_reduce(Syntax& syntax, Action& action) {
  struct Arguments {
    std::vector<std::string> inputs;
    std::vector<job::Given> given;
    std::vector<job::Given> defaults;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_optional_arguments(
      "INPUT", arguments->inputs,
      "FILE.npy, FILE:/name of HDF5, netCDF, Zarr or .npz, FILE.tif, or raw "
      "FILE?dtype=f4&shape=100x200[&offset=BYTES], each with a slice such as [10:20, ::4]; "
      "several files, or a pattern with *, are joined along the first dimension. Generated arrays: "
      "random:uniform|normal?count=N[&seed=S][&dtype=f8], "
      "linspace:START,STOP?count=N[&dtype=f8]");
  syntax.add_note("quiet", " and the bare results, one a line");
  syntax.add_options(job::reduce_options(), arguments->given, {}, &arguments->defaults);
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    job::ReduceJob job;
    comm::agree(world, [&] {
      job = job::make_reduce_job(arguments->inputs, joined(arguments->defaults, arguments->given));
    });
    job.defaults = defaults_text(arguments->defaults, arguments->given);
    job.default_checkpoint = fmt::format("tessera-reduce-{}.checkpoint", job::fingerprint(job));
    WatchedRun watched(world, job, "reduce", job::input_text(job), "");
    if (watched.live()) watched.live()->set_options(job::describe(job));
    listen_for_stop(context.run.stop);
    run_and_publish(context, job, watched.live(), [&](auto& checkpoints) {
      if (!job.pool.empty()) return pool::reduce(context, job, checkpoints);
      return reduce::reduce(context, job, checkpoints, {.live = watched.live()});
    });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
