// tessera merge: one image of the files that jobs of their own have made of its shares.
#include <fmt/format.h>

#include <cstdio>

#include "comm/agree.hpp"
#include "command/arguments.hpp"
#include "command/command_line.hpp"
#include "post/merge.hpp"

namespace tessera::command {
namespace {

std::span<const job::Option<post::MergeJob>> merge_options() {
  using job::Kind;
  using job::Scope;
  static const std::vector<job::Option<post::MergeJob>> options = {
      {"overwrite", "", "replace OUT.h5 if it is there", Scope::output, Kind::toggle,
       [](post::MergeJob& job, std::string_view, std::string_view) { job.overwrite = true; },
       [](const post::MergeJob&) { return std::string(); }},
      {"quiet", "", "no summary", Scope::run, Kind::toggle,
       [](post::MergeJob& job, std::string_view, std::string_view) { job.quiet = true; },
       [](const post::MergeJob&) { return std::string(); }},
  };
  return options;
}

struct MergeArguments {
  post::MergeJob job;
  std::vector<job::Given> given;
};

base::ExitCode merge_files(comm::World& world, const MergeArguments& arguments) {
  post::MergeJob job = arguments.job;
  comm::agree(world, [&] {
    apply_options(job, merge_options(), std::span<const job::Given>(arguments.given));
    if (!world.is_root()) return;
    const post::MergeResult result = post::merge(job);
    if (job.quiet) return;
    fmt::print("{}: {} tiles of {} files{}\n", job.output, result.tiles, job.inputs.size(),
               result.found > 0 ? fmt::format(", {} were there before", result.found) : "");
    std::fflush(stdout);
  });
  return base::ExitCode::done;
}

}  // namespace

void add_merge(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<MergeArguments>();
  syntax.add_argument("OUT.h5", arguments->job.output, "the image to write");
  syntax.add_arguments("PART.h5", arguments->job.inputs, "files made by render --share");
  syntax.add_options(merge_options(), arguments->given);
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) { return merge_files(world, *arguments); };
  });
}

}  // namespace tessera::command
