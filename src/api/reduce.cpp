#include "tessera/reduce.hpp"

#include <algorithm>

#include "api/array_results.hpp"
#include "api/call.hpp"
#include "api/direct.hpp"
#include "api/reduction.hpp"
#include "base/error.hpp"
#include "reduce/reduce.hpp"

namespace tessera::inline v0 {
namespace {

/// Runs the job in the engine.
Results run_job(Context& context, const job::ReduceJob& job, const reduce::Receivers& receivers,
                const Run& run) {
  Results results;
  api::call(context, run, [&](run::Context& inside) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    const report::ReduceReport done = reduce::reduce(inside, job, checkpoints, receivers);
    if (!inside.world.is_root()) return;
    checkpoints->remove();
    results = api::results_of(done);
  });
  return results;
}

Results reduce_along(Context& context, const Source& array, const Reduction& reduction,
                     reduce::ArraySink& sink, const Run& run) {
  const job::ReduceJob job = api::translate([&] {
    job::ReduceJob made = api::make_job(context.settings(), array, reduction);
    if (made.axes.empty()) throw base::usage_error("axis: say along which axes");
    return made;
  });
  return run_job(context, job, {.arrays = &sink}, run);
}

Report map_into(Context& context, const Source& expression, reduce::ArraySink& sink,
                const Run& run) {
  const job::ReduceJob job =
      api::translate([&] { return api::make_map_job(context.settings(), expression); });
  return run_job(context, job, {.arrays = &sink}, run).report;
}

}  // namespace

const Result& Results::operator[](std::string_view name) const {
  const auto found = std::ranges::find(operations, name, &Result::name);
  if (found == operations.end()) throw Error(Code::usage, "no result of " + std::string(name));
  return *found;
}

Results reduce(Context& context, const Source& array, const Reduction& reduction, const Run& run) {
  const job::ReduceJob job = api::translate([&] {
    job::ReduceJob made = api::make_job(context.settings(), array, reduction);
    if (!made.axes.empty() && made.output.empty()) {
      throw base::usage_error("axis: makes arrays; say where they go");
    }
    return made;
  });
  const auto direct =
      api::translate([&] { return api::reduce_directly(context.state(), array, job, run.stop); });
  if (direct)
    return api::translate([&] { return api::results_of(job, direct->spec, direct->sums); });
  if (job.by.empty() || !job.output.empty()) return run_job(context, job, {}, run);
  api::KeptTable table;
  Results results = run_job(context, job, {.table = &table}, run);
  results.columns = table.take();
  return results;
}

Results reduce(Context& context, const Source& array, const Reduction& reduction,
               const PlaceArray& place, const Run& run) {
  reduce::MemorySink sink = api::memory_sink(place);
  return reduce_along(context, array, reduction, sink, run);
}

Results reduce(Context& context, const Source& array, const Reduction& reduction, ArraySink& sink,
               const Run& run) {
  api::CallersArrays arrays(sink);
  return reduce_along(context, array, reduction, arrays, run);
}

Report map(Context& context, const Source& expression, const PlaceArray& place, const Run& run) {
  reduce::MemorySink sink = api::memory_sink(place);
  return map_into(context, expression, sink, run);
}

Report map(Context& context, const Source& expression, ArraySink& sink, const Run& run) {
  api::CallersArrays arrays(sink);
  return map_into(context, expression, arrays, run);
}

Report map(Context& context, const Source& expression, const Options& options, const Run& run) {
  const job::ReduceJob job =
      api::translate([&] { return api::make_map_job(context.settings(), expression, options); });
  return run_job(context, job, {}, run).report;
}

}  // namespace tessera::inline v0
