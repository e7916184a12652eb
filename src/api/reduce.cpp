#include "tessera/reduce.hpp"

#include <algorithm>
#include <functional>

#include "api/array_results.hpp"
#include "api/call.hpp"
#include "api/direct.hpp"
#include "api/image_state.hpp"
#include "api/parts.hpp"
#include "api/reduction.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "reduce/input/key_bins.hpp"
#include "reduce/reduce.hpp"

namespace tessera::v0 {
namespace {

bool has_output(const Options& options) {
  return std::ranges::count(options, "output", &Options::value_type::first) > 0;
}

using MakeJob = std::function<job::ReduceJob()>;

/// The results of a run over files, or over arrays that this process has alone.
template <class Work>
Results results_of_run(run::Context& inside, const Work& run) {
  std::optional<reduce::ReduceCheckpoints> checkpoints;
  const report::ReduceReport done = run(checkpoints);
  if (!inside.world.is_root()) return {};
  checkpoints->remove();
  return api::results_of(done);
}

/// An error in the job of one rank is that of all.
Results run_job(Context& context, const MakeJob& make, const reduce::Receivers& receivers,
                const Run& run) {
  Results results;
  api::call(context, run, [&](run::Context& inside) {
    job::ReduceJob job;
    bool in_parts = false;
    comm::agree(inside.world, [&] {
      job = make();
      in_parts = inside.world.size() > 1 && api::is_of_parts(job);
    });
    if (api::is_direct(context.settings(), job)) {
      const api::DirectResult direct = api::reduce_watched(context.state(), job);
      results = api::results_of(job, direct.spec, direct.sums);
      return;
    }
    in_parts = api::all_or_none(inside.world, in_parts);
    results = in_parts ? api::reduce_parts(context.state(), inside, job)
                       : results_of_run(inside, [&](auto& checkpoints) {
                           return reduce::reduce(inside, job, checkpoints, receivers);
                         });
  });
  return results;
}

Results reduce_along(Context& context, const Source& array, const Reduction& reduction,
                     reduce::ArraySink& sink, const Run& run) {
  const auto make = [&] {
    job::ReduceJob job = api::make_job(context.settings(), array, reduction);
    if (job.axes.empty()) throw base::usage_error("axis: say along which axes");
    return job;
  };
  return run_job(context, make, {.arrays = &sink}, run);
}

template <class Make>
Report run_map(Context& context, const Make& make, reduce::ArraySink* sink, const Run& run) {
  Results results;
  api::call(context, run, [&](run::Context& inside) {
    job::MapJob job;
    comm::agree(inside.world, [&] {
      job = make();
      if (inside.world.size() > 1) api::check_in_files(job.inputs);
    });
    results = results_of_run(
        inside, [&](auto& checkpoints) { return reduce::map(inside, job, checkpoints, sink); });
  });
  return results.report;
}

Report map_into(Context& context, const Source& expression, reduce::ArraySink& sink,
                const Run& run) {
  const auto make = [&] { return api::make_map_job(context.settings(), expression); };
  return run_map(context, make, &sink, run);
}

}  // namespace

const Result& Results::operator[](std::string_view name) const {
  const auto found = std::ranges::find(operations, name, &Result::name);
  if (found == operations.end()) throw Error(Code::usage, "no result of " + std::string(name));
  return *found;
}

Results reduce(Context& context, const Source& array, const Reduction& reduction, const Run& run) {
  MakeJob make = [&] {
    job::ReduceJob job = api::make_job(context.settings(), array, reduction);
    if (!job.axes.empty() && job.output.empty()) {
      throw base::usage_error("axis: makes arrays; say where they go");
    }
    return job;
  };
  if (context.settings().communicator == nullptr) {
    const job::ReduceJob job = api::translate(make);
    const auto direct =
        api::translate([&] { return api::reduce_directly(context.state(), job, run.stop); });
    if (direct) {
      return api::translate([&] { return api::results_of(job, direct->spec, direct->sums); });
    }
    make = [copy = job]() mutable { return std::move(copy); };
  }
  api::KeptTable table;
  const bool is_table = !reduction.by.empty() && !has_output(reduction.options);
  Results results = run_job(context, make, {.table = is_table ? &table : nullptr}, run);
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

std::vector<double> edges_of_bins(const std::string& bins) {
  return api::translate([&] {
    job::ReduceJob job;
    job::apply_options<job::ReduceJob>(job, job::reduce_options(), api::given_of({{"bins", bins}}));
    const statistics::HistogramBins all = reduce::parse_bins(job.bins);
    return std::vector<double>(all.edges().begin(), all.edges().end());
  });
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
  const auto make = [&] { return api::make_map_job(context.settings(), expression, options); };
  return run_map(context, make, nullptr, run);
}

}  // namespace tessera::v0
