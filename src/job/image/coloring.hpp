// The options that decide the colours of a picture, common to `render`, `color` and `film`.
#pragma once

#include <string>
#include <vector>

#include "job/image/options.hpp"
#include "job/image/render_job.hpp"

namespace tessera::job {

/// The rows of Coloring.
const std::vector<Option<Coloring>>& coloring_rows();

/// The value of --palette-scale; "" for the logarithm.
std::string scale_text(const Coloring& job);
/// The value of --light; "" for none.
std::string light_text(const Coloring& job);

/// Decides an open `equalize`: pictures beyond f64 are equalized, because high counts that differ
/// little have one colour otherwise. --equalize, --palette-cycle and --palette-scale decide it,
/// too. Throws a usage error if the latter is there with another one.
void settle_colors(Coloring& coloring, bool beyond_f64);

/// A row for the option table of a job.
template <class Job>
Option<Job> option_of(const Option<Coloring>& row) {
  Option<Job> option{row.name, row.value, row.help, row.scope, row.kind};
  option.set = row.set;
  option.get = row.get;
  return option;
}

/// The same rows for the option table of a job.
template <class Job>
std::vector<Option<Job>> coloring_options() {
  std::vector<Option<Job>> options;
  for (const Option<Coloring>& row : coloring_rows()) options.push_back(option_of<Job>(row));
  return options;
}

}  // namespace tessera::job
