// tessera merge: merges the files of several `render --share` jobs into one image.
#include <fmt/format.h>

#include <cstdio>
#include <iterator>

#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/image/merge_job.hpp"
#include "post/merge.hpp"
#include "report/json_parts.hpp"
#include "report/printers.hpp"

namespace tessera::command {
namespace {

struct MergeArguments {
  job::MergeJob job;
  std::vector<job::Given> given;
};

std::string line_of(const job::MergeJob& job, const post::MergeResult& result) {
  if (result.found_complete) return {};
  return fmt::format("{}: {} of {}{}; the parts can be deleted\n", job.output,
                     base::count_of(result.tiles, "tile"),
                     base::count_of(std::ssize(job.inputs), "file"),
                     result.found > 0 ? fmt::format(", {} were there before", result.found) : "");
}

std::string json_of(const job::MergeJob& job, const post::MergeResult& result) {
  report::Json json = report::document("merge");
  json["output"] = job.output;
  json["inputs"] = job.inputs;
  json["found_complete"] = result.found_complete;
  json["tiles"] = result.tiles;
  json["found_tiles"] = result.found;
  json["repeated_tiles"] = result.again;
  return report::dump(json);
}

base::ExitCode merge_files(comm::World& world, const MergeArguments& arguments) {
  job::MergeJob job = arguments.job;
  comm::agree(world, [&] {
    job::apply_options<job::MergeJob>(job, job::merge_options(), arguments.given);
    if (!world.is_root()) return;
    const post::MergeResult result = post::merge(job);
    report::publish(job, json_of(job, result), job.quiet ? "" : line_of(job, result));
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
  set_action(syntax, action,
             [arguments](run::Context& context) { return merge_files(context.world, *arguments); });
}

}  // namespace tessera::command
