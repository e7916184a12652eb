#include "api/reduction.hpp"

#include <algorithm>

#include "api/call.hpp"
#include "api/image_state.hpp"
#include "api/source_state.hpp"
#include "base/error.hpp"
#include "job/values.hpp"
#include "statistics/operations.hpp"

namespace tessera::api {
namespace {

Result result_of(const report::ReducedOperation& operation) {
  Result result{
      .name = operation.name, .coordinates = operation.coordinates, .edges = operation.edges};
  for (const report::ReducedValue& value : operation.values) {
    result.values.push_back({value.text, value.real});
  }
  return result;
}

template <class Job>
void check_names(const Options& options, std::span<const job::Option<Job>> rows) {
  std::vector<std::string> names;
  for (const auto& option : rows) names.emplace_back(option.name);
  for (const auto& [name, value] : options) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw base::usage_error("{}: there is no such option; {}", name, job::suggestion(name, names));
  }
}

}  // namespace

job::ReduceJob make_job(const Settings& settings, const Source& array, const Reduction& reduction) {
  check_names(reduction.options, job::reduce_options());
  check_of_library(reduction.options);
  for (const auto& [name, value] : reduction.options) {
    if (name != "map" || value.empty()) continue;
    throw base::usage_error("map: an expression is a source of its own, Source::expression()");
  }
  job::ReduceJob job;
  job::apply_options<job::ReduceJob>(job, job::reduce_options(), given_of(reduction.options));
  set_inputs(job, array);
  if (reduction.with) job.with = input_of(*reduction.with, "dot");
  for (const Source& key : reduction.by) job.by.push_back(input_of(key, "by"));
  if (reduction.weights) {
    job.weights = input_of(*reduction.weights, "weights");
    job.weights->dimensions = reduction.weights_dimensions;
  }
  job::name_dimensions(job);
  job::check(job);
  if (!job.output.empty()) job::check_output(job);
  apply(settings, job);
  return job;
}

job::MapJob make_map_job(const Settings& settings, const Source& expression) {
  job::MapJob job;
  set_inputs(job, expression);
  if (job.map.empty()) throw base::usage_error("map: takes an expression");
  job.mapped = {{"map", job.map}};
  apply(settings, job);
  return job;
}

job::MapJob make_map_job(const Settings& settings, const Source& expression,
                         const Options& options) {
  check_names(options, job::map_options());
  const Source::State& state = expression.state();
  // The names decide how the expression is read; the arrays follow.
  std::vector<std::string> arguments;
  for (const std::string& name : state.names) arguments.push_back(name + "=array.npy");
  job::MapJob job = job::make_map_job(state.map, arguments, given_of(options));
  set_inputs(job, expression);
  apply(settings, job);
  return job;
}

Results results_of(const report::ReduceReport& run) {
  Results results{.elements = run.elements,
                  .nans = run.nans,
                  .positive_infinities = run.positive_infinities,
                  .negative_infinities = run.negative_infinities,
                  .missing = run.missing_fill + run.missing_range,
                  .report = report::to_json(run)};
  for (const report::ReducedOperation& one : run.operations) {
    results.operations.push_back(result_of(one));
  }
  return results;
}

Results results_of(const job::ReduceJob& job, const statistics::ReductionSpec& spec,
                   const statistics::Partial& all) {
  Results results{.elements = all.elements,
                  .nans = all.nans,
                  .positive_infinities = all.positive_infinities,
                  .negative_infinities = all.negative_infinities,
                  .missing = all.missing.total()};
  if (all.elements == 0) statistics::check_defined_on_empty(job.operations);
  for (const job::Operation operation : job.operations) {
    Result& result = results.operations.emplace_back();
    result.name = job::operation_name(operation);
    for (const auto& [text, real] : statistics::answer(operation, all, spec, job.ddof)) {
      result.values.push_back({text, real});
    }
  }
  return results;
}

void check_partial(const job::ReduceJob& job, std::string_view what) {
  if (!job.axes.empty() || !job.by.empty()) {
    throw base::usage_error("{}: is of a whole array, without axes and groups", what);
  }
  if (!job.states.empty()) throw base::usage_error("{}: keeps no file; leave out state", what);
  for (const job::Operation operation : job.operations) {
    if (statistics::merges(operation)) continue;
    throw base::usage_error("{}: {} has no partial results that merge", what,
                            job::operation_name(operation));
  }
}

}  // namespace tessera::api
