// tessera merge: merges the files of several `render --share` jobs into one image.
#include <fmt/format.h>

#include <cstdio>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/merge_job.hpp"
#include "post/merge.hpp"

namespace tessera::command {
namespace {

struct MergeArguments {
  job::MergeJob job;
  std::vector<job::Given> given;
};

base::ExitCode merge_files(comm::World& world, const MergeArguments& arguments) {
  job::MergeJob job = arguments.job;
  comm::agree(world, [&] {
    job::apply_options<job::MergeJob>(job, job::merge_options(), arguments.given);
    if (!world.is_root()) return;
    const post::MergeResult result = post::merge(job);
    if (job.quiet) return;
    fmt::print("{}: {} tiles of {} files{}; the parts can be deleted\n", job.output, result.tiles,
               job.inputs.size(),
               result.found > 0 ? fmt::format(", {} were there before", result.found) : "");
    std::fflush(stdout);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_merge(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<MergeArguments>();
  syntax.add_argument("OUT.h5", arguments->job.output, "the image to write");
  syntax.add_arguments("PART.h5", arguments->job.inputs, "partial files of render --share");
  syntax.add_options(job::merge_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) { return merge_files(world, *arguments); };
  });
}

}  // namespace tessera::command
