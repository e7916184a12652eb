// The arguments of `render` and `plan`: a job file, and options that override its keys.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "command/syntax.hpp"
#include "job/image/options.hpp"
#include "job/image/render_job.hpp"

namespace tessera::command {

struct RenderArguments {
  std::string job_file;
  std::vector<job::Given> given;     ///< from the command line, in order
  std::vector<job::Given> defaults;  ///< of the site and of the user

  /// Collective. The keys of the job file, then those of the command line, with the options of the
  /// file of --from. Throws the error that the ranks agree on.
  std::vector<job::Given> all_given(comm::World& world) const;
  /// Collective. The keys of the job file, overridden by those of the command line. Throws the
  /// error that the ranks agree on.
  job::RenderJob make_job(comm::World& world) const;
};

/// The names that --palette takes, in its help.
void add_palette_names(Syntax& syntax);

/// `shown`: the options in --help; empty = all.
std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax,
                                                      std::span<const std::string_view> shown = {});

}  // namespace tessera::command
