#include "reduce/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "base/version.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "farm/farm.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/progress.hpp"
#include "farm/thread_reports.hpp"
#include "plan/schedule.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/recut_array.hpp"
#include "reduce/open_devices.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/restart.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/answers.hpp"
#include "store/arrays/array_source.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// What the run has and keeps, on the gather rank; nulls elsewhere.
struct GatherState {
  ReduceSink* sink = nullptr;
  ReduceCheckpoints* checkpoints = nullptr;
};

/// Partial results of all slices that are not there yet; on the gather rank into `sink`.
std::vector<report::ThreadReport> reduce_slices(comm::World& world, ReduceWork& work,
                                                const job::ReduceJob& job, ReduceSink* sink,
                                                plan::Repeats& repeats) {
  const int lanes = binding::total_lanes(world, work.lanes());
  // What comes back of a slice is some KiB.
  const farm::FarmLimits limits{.outbox_bytes = std::size_t{1} << 20,
                                .inbox_bytes = std::size_t{1} << 20,
                                .until = time_limit(world, job)};
  if (sink == nullptr) return farm::run_farm(world, work, limits, nullptr);
  plan::Schedule schedule(work.costs(), lanes, plan::Order::given);
  finish_before(schedule, sink->finished());
  farm::Progress progress("reduce", "slices", job.quiet, schedule);
  farm::Gather gather{schedule, *sink, [&](const auto& now) { progress.show(now); }};
  auto threads = farm::run_farm(world, work, limits, &gather);
  repeats = schedule.repeats();
  return threads;
}

/// What a journey over the array took.
struct Pass {
  std::vector<report::RankReport> ranks;
  plan::Repeats repeats;
  double work_s = 0;
};

/// Collective. What comes of it is in `kept.sink`.
Pass run_pass(comm::World& world, const store::ArraySource& source, const SliceSpec& slice_spec,
              const job::ReduceJob& job, binding::RankDevices& devices, const GatherState& kept,
              std::int64_t number) {
  std::optional<ReduceWork> work;
  comm::agree(world, [&] { work.emplace(source, slice_spec, job, devices); });
  comm::agree(world, [&] {
    if (kept.sink == nullptr) return;
    kept.sink->begin(number, work->slices().count());
    kept.checkpoints->begin([&kept, bytes = job.slice_bytes] {
      return kept.sink->checkpoint(kept.checkpoints->blank(bytes));
    });
  });
  const auto start = base::Clock::now();
  Pass pass;
  auto threads = keep_what_is_done(world, kept.checkpoints, [&] {
    return reduce_slices(world, *work, job, kept.sink, pass.repeats);
  });
  pass.work_s = base::seconds_between(start, base::Clock::now());
  pass.ranks = farm::gather_reports(world, work->report(std::move(threads)));
  return pass;
}

using Range = std::pair<double, double>;

/// From the least to the greatest of the numbers, as numpy.histogram takes it.
Range histogram_range(const statistics::Partial& all, base::ElementType type) {
  const bool none = all.elements == all.nans;
  if (none) return {0, 1};
  Range range = statistics::range_of(all, type);
  if (!std::isfinite(range.second - range.first)) {
    throw base::usage_error(
        "--op histogram: the elements are from {} to {}; say which part is wanted, as "
        "histogram=BINS,LO,HI",
        range.first, range.second);
  }
  if (range.first == range.second) range = {range.first - 0.5, range.second + 0.5};
  return range;
}

/// Collective: the gather rank's on every rank.
Range share(comm::World& world, const Range& range) {
  const base::Bytes told =
      world.broadcast(base::ByteWriter().put(range.first).put(range.second).take());
  base::ByteReader in(told);
  const auto low = in.get<double>();
  return {low, in.get<double>()};
}

/// What an earlier journey took and what a later one did. A rank may have been lost in between, or
/// have come back.
Pass add(Pass earlier, const Pass& later) {
  earlier.work_s += later.work_s;
  earlier.repeats += later.repeats;
  for (const report::RankReport& more : later.ranks) {
    const auto rank = std::ranges::find(earlier.ranks, more.rank, &report::RankReport::rank);
    if (rank == earlier.ranks.end()) {
      earlier.ranks.push_back(more);
      continue;
    }
    farm::merge_threads(rank->threads, more.threads);
    rank->read_s += more.read_s;
    rank->peak_memory_bytes = more.peak_memory_bytes;
    rank->lost = more.lost;  // of the whole run so far
    rank->restarted = more.restarted;
  }
  return earlier;
}

/// One journey; a second one for a histogram whose range has to be found first. Begins with the one
/// that was found.
Pass reduce_array(comm::World& world, const store::ArraySource& source, SliceSpec& slice_spec,
                  const job::ReduceJob& job, binding::RankDevices& devices, const GatherState& kept,
                  std::int64_t found_pass) {
  const auto wanted =
      std::ranges::find(job.operations, job::Operation::histogram) != job.operations.end();
  const auto bins = static_cast<std::size_t>(job.histogram.bins);
  const auto& given = job.histogram.range;
  if (wanted && given) slice_spec.bins.emplace(given->first, given->second, bins);
  if (wanted && !given) slice_spec.spec.extremes = true;
  Pass pass;
  if (found_pass == 0) pass = run_pass(world, source, slice_spec, job, devices, kept, 0);
  if (!wanted || given) return pass;

  Range range;
  comm::agree(world, [&] {
    if (world.is_root()) range = histogram_range(kept.sink->all().partial, source.info().type);
  });
  range = share(world, range);
  slice_spec.bins.emplace(range.first, range.second, bins);
  slice_spec.partial = false;
  Pass second = run_pass(world, source, slice_spec, job, devices, kept, 1);
  if (found_pass > 0) return second;
  return add(std::move(pass), second);
}

report::ReducedOperation histogram_of(const SliceResult& all,
                                      const statistics::HistogramBins& bins) {
  report::ReducedOperation answered{
      .name = std::string(job::operation_name(job::Operation::histogram)),
      .edges = {bins.edges().begin(), bins.edges().end()}};
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    const std::int64_t count = bin < all.histogram.size() ? all.histogram[bin] : 0;
    answered.values.push_back({fmt::format("{}", count), {}});
  }
  return answered;
}

/// Whether nothing is read, so that nothing travels to a GPU.
bool makes_all(const job::ReduceJob& job) {
  return job.inputs.front().is_generated() &&
         (job.with.empty() || job::parse_array_input(job.with).is_generated());
}

/// Coordinates of element `index`, counted in C order.
std::vector<std::int64_t> coordinates_of(std::int64_t index, const job::Shape& shape) {
  std::vector<std::int64_t> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = index % shape[d];
    index /= shape[d];
  }
  return coordinates;
}

report::ReducedOperation answer(job::Operation operation, const statistics::Partial& all,
                                const store::ArrayInfo& array, const job::ReduceJob& job) {
  report::ReducedOperation answered{.name = std::string(job::operation_name(operation))};
  for (const statistics::Value& value : statistics::answer(operation, all, array.type, job)) {
    answered.values.push_back({value.text, value.real});
  }
  const bool place = operation == job::Operation::argmin || operation == job::Operation::argmax;
  const std::int64_t index = place ? std::stoll(answered.values.front().text) : -1;
  if (index >= 0) answered.coordinates = coordinates_of(index, array.shape);
  return answered;
}

report::ReduceReport describe_array(const store::ArrayInfo& array, const statistics::Partial& all) {
  return {.input = array.name,
          .kind = array.kind,
          .type = std::string(base::element_code(array.type)),
          .shape = array.shape,
          .elements = all.elements,
          .nans = all.nans,
          .positive_infinities = all.positive_infinities,
          .negative_infinities = all.negative_infinities};
}

/// Read of the array and, where there is one, of the other, for each element.
std::uint64_t bytes_each(const store::ArraySource& source, const store::ArraySource* with) {
  return base::element_bytes(source.info().type) +
         (with == nullptr ? 0 : base::element_bytes(with->info().type));
}

}  // namespace

report::ReduceReport reduce(comm::World& world, const job::ReduceJob& given,
                            std::optional<ReduceCheckpoints>& checkpoints) {
  base::listen_for_stop();
  const FoundCut cut = look_for_checkpoint(world, given, checkpoints);
  job::ReduceJob job = given;
  job.slice_bytes = cut.slice_bytes;
  std::unique_ptr<store::ArraySource> source;
  std::unique_ptr<store::ArraySource> second;  // of --with
  SliceSpec slice_spec;
  comm::agree(world, [&] {
    if (world.is_root()) check_reduce_files(job);
    source = open_input(job.inputs, piece_bytes(job));
    const store::ArrayInfo& array = source->info();
    const bool empty = job::count_elements(array.shape, array.name) == 0;
    if (empty) statistics::check_answers_of_nothing(job.operations);
    slice_spec.spec = statistics::spec_of(array.type, job.operations, job.nan);
    if (job.with.empty()) return;
    second = open_second(job, *source);
    cut_alike(source, second);
    slice_spec.with = second.get();
    slice_spec.spec.with_type = second->info().type;
  });
  std::optional<binding::RankDevices> devices;
  open_reduce_devices(devices, {.job = job, .generated = makes_all(job), .items = "slices"}, world,
                      [&](const device::Device& device) { device.open_reducer(slice_spec.spec); });
  std::optional<ReduceSink> sink;
  GatherState kept;
  if (checkpoints) {
    const auto& found = checkpoints->found();
    kept = {&sink.emplace(found ? &*found : nullptr), &*checkpoints};
    announce(*checkpoints, job, "slices");
  }
  Pass pass = reduce_array(world, *source, slice_spec, job, *devices, kept, cut.pass);
  if (!world.is_root()) return {};

  const store::ArrayInfo& array = source->info();
  const statistics::Partial& all = sink->all().partial;
  report::ReduceReport run = describe_array(array, all);
  for (const job::Operation operation : job.operations) {
    if (operation == job::Operation::histogram) {
      run.operations.push_back(histogram_of(sink->all(), *slice_spec.bins));
    } else if (operation == job::Operation::dot) {
      const statistics::Value value = statistics::dot_product(all, slice_spec.spec);
      run.operations.push_back({.name = "dot", .values = {{value.text, value.real}}});
    } else {
      run.operations.push_back(answer(operation, all, array, job));
    }
  }
  run.version = base::version_and_commit();
  run.job = job::describe(job);
  run.found_slices = sink->found_slices();
  run.in_flight = farm::in_flight_of(world, pass.repeats);
  run.ranks = std::move(pass.ranks);
  put_counts(run.ranks, sink->reduced(), bytes_each(*source, second.get()), world);
  run.work_s = pass.work_s;
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  return run;
}

}  // namespace tessera::reduce
