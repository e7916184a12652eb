// What `render` and `plan` share: a job file and options that win over it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/syntax.hpp"
#include "job/options.hpp"
#include "job/render_job.hpp"

namespace tessera::command {

struct RenderArguments {
  std::string job_file;
  std::vector<job::Given> given;  ///< from the command line, in order

  /// The job file's keys with those of the command line on top. Throws base::Error.
  job::RenderJob make_job() const;
};

std::shared_ptr<RenderArguments> add_render_arguments(Syntax& syntax);

}  // namespace tessera::command
