// The options that decide the colours of a picture, common to `render` and `color`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/options.hpp"
#include "job/render_job.hpp"

namespace tessera::job {

/// The rows of Coloring.
const std::vector<Option<Coloring>>& coloring_rows();

/// The same rows for the option table of a job.
template <class Job>
std::vector<Option<Job>> coloring_options() {
  std::vector<Option<Job>> options;
  for (const Option<Coloring>& row : coloring_rows()) {
    Option<Job>& option = options.emplace_back();
    option = {row.name, row.value, row.help, row.scope, row.kind};
    option.set = row.set;
    option.get = row.get;
  }
  return options;
}

}  // namespace tessera::job
