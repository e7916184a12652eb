#include "reduce/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "farm/farm.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/thread_reports.hpp"
#include "plan/schedule.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/recut_array.hpp"
#include "reduce/open_devices.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/restart.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/operations.hpp"
#include "store/arrays/array_source.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// Set on the gather rank, null elsewhere.
struct GatherState {
  ReduceSink* sink = nullptr;
  ReduceCheckpoints* checkpoints = nullptr;
};

/// Reduces all slices that are not finished yet. Their partial results go to `sink` on the gather
/// rank.
farm::FarmResult reduce_slices(comm::World& world, ReduceWork& work, const job::ReduceJob& job,
                               ReduceSink* sink) {
  farm::FarmRun farm{.work = work,
                     .sink = sink,
                     .costs = work.costs(),
                     .label = "reduce",
                     .items = "slices",
                     .quiet = job.quiet,
                     .limits = farm::kSmallResults};
  if (sink != nullptr) farm.finished = sink->finished();
  farm.limits.until = time_limit(world, job);
  return farm::run(world, std::move(farm));
}

/// Reports and time of a pass over the array.
struct Pass {
  std::vector<report::RankReport> ranks;
  plan::Repeats repeats;
  double work_s = 0;
};

/// Collective. The result is in `kept.sink`.
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
  farm::FarmResult result = run_with_checkpoint(
      world, kept.checkpoints, [&] { return reduce_slices(world, *work, job, kept.sink); });
  pass.work_s = base::seconds_between(start, base::Clock::now());
  pass.repeats = result.repeats;
  pass.ranks = farm::gather_reports(world, work->report(std::move(result.threads)));
  return pass;
}

using Range = std::pair<double, double>;

/// The range from the smallest to the largest number, as numpy.histogram chooses it.
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

/// Sums the reports of two passes. A rank may have been lost or restarted in between.
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
    rank->lost = more.lost;  // counted since the start of the run
    rank->restarted = more.restarted;
  }
  return earlier;
}

/// Runs one pass, or two for a histogram whose range is not given: the first pass finds the range.
/// Starts with pass `found_pass` of the checkpoint.
Pass reduce_array(comm::World& world, const store::ArraySource& source, SliceSpec& slice_spec,
                  const job::ReduceJob& job, binding::RankDevices& devices, const GatherState& kept,
                  std::int64_t found_pass) {
  const auto bins = static_cast<std::size_t>(job.histogram.bins);
  const auto& given = job.histogram.range;
  if (given) slice_spec.bins.emplace(given->first, given->second, bins);
  Pass pass;
  if (found_pass == 0) pass = run_pass(world, source, slice_spec, job, devices, kept, 0);
  if (statistics::passes_of(job) == 1) return pass;

  Range range;
  comm::agree(world, [&] {
    if (world.is_root()) range = histogram_range(kept.sink->all().partial, source.info().type);
  });
  const auto shared = comm::broadcast_value(world, std::array{range.first, range.second});
  range = {shared[0], shared[1]};
  slice_spec.bins.emplace(range.first, range.second, bins);
  slice_spec.partial = false;
  Pass second = run_pass(world, source, slice_spec, job, devices, kept, 1);
  if (found_pass > 0) return second;
  return add(std::move(pass), second);
}

report::ReducedOperation histogram_of(const SliceResult& all,
                                      const statistics::HistogramBins& bins) {
  report::ReducedOperation answered{.edges = {bins.edges().begin(), bins.edges().end()}};
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    const std::int64_t count = bin < all.histogram.size() ? all.histogram[bin] : 0;
    answered.values.push_back({fmt::format("{}", count), {}});
  }
  return answered;
}

/// Whether all arrays are generated, so that nothing is read and nothing is copied to a GPU.
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

/// The operations that say where the answers of this one are.
std::vector<job::Operation> places_of(job::Operation operation) {
  using enum job::Operation;
  if (operation == min || operation == argmin) return {argmin};
  if (operation == max || operation == argmax) return {argmax};
  return operation == minmax ? std::vector{argmin, argmax} : std::vector<job::Operation>{};
}

/// Adds the place of element `index` if the array was joined from several.
void add_place(std::int64_t index, const store::ArraySource& source,
               std::vector<report::ReducedPlace>& places) {
  if (index < 0) return;
  std::vector<std::int64_t> coordinates = coordinates_of(index, source.info().shape);
  const auto part = coordinates.empty() ? std::nullopt : source.part_at(coordinates.front());
  if (!part) return;
  coordinates.front() -= part->row;
  places.push_back({part->array, std::move(coordinates)});
}

report::ReducedOperation answer(job::Operation operation, const SliceResult& all,
                                const SliceSpec& slice_spec, const store::ArraySource& source,
                                const job::ReduceJob& job) {
  const statistics::ResultType type = statistics::meaning_of(operation).type;
  report::ReducedOperation answered;
  if (type == statistics::ResultType::bins) answered = histogram_of(all, *slice_spec.bins);
  answered.name = job::operation_name(operation);
  for (const statistics::Value& value :
       statistics::answer(operation, all.partial, slice_spec.spec, job.ddof)) {
    answered.values.push_back({value.text, value.real});
  }
  for (const job::Operation place : places_of(operation)) {
    const auto at = statistics::answer(place, all.partial, slice_spec.spec, job.ddof);
    add_place(std::stoll(at.front().text), source, answered.places);
  }
  if (type != statistics::ResultType::index) return answered;
  const std::int64_t index = std::stoll(answered.values.front().text);
  if (index >= 0) answered.coordinates = coordinates_of(index, source.info().shape);
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

/// Bytes read per element, of both arrays if there are two.
std::uint64_t bytes_each(const store::ArraySource& source, const store::ArraySource* with) {
  return base::element_bytes(source.info().type) +
         (with == nullptr ? 0 : base::element_bytes(with->info().type));
}

}  // namespace

report::ReduceReport reduce(comm::World& world, const job::ReduceJob& given,
                            std::optional<ReduceCheckpoints>& checkpoints) {
  base::listen_for_stop();
  const ResumeState cut = find_checkpoint(world, given, checkpoints);
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
    slice_spec.spec = statistics::spec_of(array.type, job);
    slice_spec.spec.places |= slice_spec.spec.extremes && !empty && source->part_at(0);
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
  report::ReduceReport run = describe_array(array, sink->all().partial);
  for (const job::Operation operation : job.operations) {
    run.operations.push_back(answer(operation, sink->all(), slice_spec, *source, job));
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
