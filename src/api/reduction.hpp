// Jobs of the library's reductions, and their results.
#pragma once

#include <vector>

#include "api/names.hpp"
#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"
#include "report/reduce_report.hpp"
#include "statistics/partial.hpp"

namespace tessera::api {

/// Throws a usage error as `tessera reduce` does.
job::ReduceJob make_job(const Settings& settings, const Source& array, const Reduction& reduction);

/// Throws a usage error as `tessera map` does.
job::MapJob make_map_job(const Settings& settings, const Source& expression);
job::MapJob make_map_job(const Settings& settings, const Source& expression,
                         const Options& options);

Results results_of(const report::ReduceReport& run);

/// The answers of operations that a Partial has.
Results results_of(const job::ReduceJob& job, const statistics::ReductionSpec& spec,
                   const statistics::Partial& all);

/// Throws a usage error that begins with `what` for an operation without partial results, and for
/// axes and groups.
void check_partial(const job::ReduceJob& job, std::string_view what);

}  // namespace tessera::api
