#include "run/reduce_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "device/reduction_answer.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/device_choice.hpp"
#include "run/farm.hpp"
#include "run/lanes.hpp"
#include "run/open_input.hpp"
#include "run/preflight.hpp"
#include "run/progress.hpp"
#include "run/reduce_devices.hpp"
#include "run/reduce_ranks.hpp"
#include "run/reduce_work.hpp"
#include "store/array_source.hpp"

namespace tessera::run {
namespace {

/// Partial results of all slices; on the gather rank into `sink`.
std::vector<report::ThreadReport> reduce_slices(comm::World& world, ReduceWork& work, bool quiet,
                                                ReduceSink& sink) {
  const int lanes = total_lanes(world, work.lanes());
  // What comes back of a slice is some KiB.
  const FarmLimits limits{.outbox_bytes = std::size_t{1} << 20,
                          .inbox_bytes = std::size_t{1} << 20};
  if (!world.is_root()) return run_farm(world, work, limits, nullptr);
  plan::Schedule schedule(work.costs(), lanes, plan::Order::given);
  Progress progress("reduce", "slices", quiet);
  Gather gather{schedule, sink, [&](const auto& now) { progress.show(now); }};
  return run_farm(world, work, limits, &gather);
}

/// What a journey over the array brought; on the gather rank only.
struct Journey {
  SliceResult all;
  std::vector<report::ReduceRank> ranks;
  double work_s = 0;
};

/// Collective.
Journey travel(comm::World& world, const store::ArraySource& source, const ReduceGoal& goal,
               const job::ReduceJob& job, RankDevices& devices) {
  std::optional<ReduceWork> work;
  agree(world, [&] { work.emplace(source, goal, job, devices); });
  const auto start = base::Clock::now();
  ReduceSink sink;
  const auto threads = reduce_slices(world, *work, job.quiet, sink);
  Journey journey{.work_s = base::seconds_between(start, base::Clock::now())};
  journey.ranks = gather_ranks(world, work->report(threads));
  journey.all = sink.all();
  return journey;
}

using Range = std::pair<double, double>;

/// From the least to the greatest of the numbers, as numpy.histogram takes it.
Range histogram_range(const device::Partial& all, base::ElementType type) {
  const bool none = all.elements == all.nans;
  if (none) return {0, 1};
  Range range = device::range_of(all, type);
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

/// Adds what a later journey took to what an earlier one did.
void add(std::vector<report::ReduceRank>& ranks, const std::vector<report::ReduceRank>& more) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].slices += more[i].slices;
    ranks[i].elements += more[i].elements;
    ranks[i].bytes += more[i].bytes;
    ranks[i].read_s += more[i].read_s;
    ranks[i].reduce_s += more[i].reduce_s;
    ranks[i].wait_s += more[i].wait_s;
    ranks[i].peak_memory_bytes = more[i].peak_memory_bytes;
    ranks[i].lost = more[i].lost;  // of the whole run so far
  }
}

/// One journey; a second one for a histogram whose range has to be found first.
Journey reduce_array(comm::World& world, const store::ArraySource& source, ReduceGoal& goal,
                     const job::ReduceJob& job, RankDevices& devices) {
  const auto wanted =
      std::ranges::find(job.operations, job::Operation::histogram) != job.operations.end();
  const auto bins = static_cast<std::size_t>(job.histogram.bins);
  const auto& given = job.histogram.range;
  if (wanted && given) goal.bins.emplace(given->first, given->second, bins);
  if (wanted && !given) goal.spec.extremes = true;
  Journey journey = travel(world, source, goal, job, devices);
  if (!wanted || given) return journey;

  Range range;
  agree(world, [&] {
    if (world.is_root()) range = histogram_range(journey.all.partial, source.info().type);
  });
  range = share(world, range);
  goal.bins.emplace(range.first, range.second, bins);
  goal.partial = false;
  Journey second = travel(world, source, goal, job, devices);
  journey.all.histogram = std::move(second.all.histogram);
  journey.work_s += second.work_s;
  add(journey.ranks, second.ranks);
  return journey;
}

report::ReducedOperation histogram_of(const SliceResult& all, const device::HistogramBins& bins) {
  report::ReducedOperation answered{
      .name = std::string(job::operation_name(job::Operation::histogram)),
      .edges = {bins.edges().begin(), bins.edges().end()}};
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    const std::int64_t count = bin < all.histogram.size() ? all.histogram[bin] : 0;
    answered.values.push_back({fmt::format("{}", count), {}});
  }
  return answered;
}

/// Throws DeviceError when one of them has no room.
void check_room(const RankDevices& devices, const device::ReductionSpec& spec) {
  for (int device = 0; device < devices.count(); ++device) devices[device].open_reducer(spec);
}

/// Collective: the devices of this rank.
void open_reduce_devices(std::optional<RankDevices>& devices, const job::ReduceJob& job,
                         const device::ReductionSpec& spec, comm::World& world) {
  std::string list;
  agree(world, [&] {
    list = reduce_devices(job.device, {.made = job.inputs.front().is_generated(),
                                       .cores_only = spec.products  ? "--op dot"
                                                     : spec.product ? "--op prod"
                                                                    : ""});
  });
  const std::string chosen = choose_devices(world, list, job.threads);
  agree(world, [&] {
    open_chosen(list, chosen, world, [&](std::string_view names) {
      devices.emplace(names, job.threads, world, "slices");
      // As long as what `auto` chose can still be another.
      if (list == device::kAuto) check_room(*devices, spec);
    });
  });
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

report::ReducedOperation answer(job::Operation operation, const device::Partial& all,
                                const store::ArrayInfo& array, const job::ReduceJob& job) {
  report::ReducedOperation answered{.name = std::string(job::operation_name(operation))};
  for (const device::Value& value : device::answer(operation, all, array.type, job)) {
    answered.values.push_back({value.text, value.real});
  }
  const bool place = operation == job::Operation::argmin || operation == job::Operation::argmax;
  const std::int64_t index = place ? std::stoll(answered.values.front().text) : -1;
  if (index >= 0) answered.coordinates = coordinates_of(index, array.shape);
  return answered;
}

report::ReduceReport describe_array(const store::ArrayInfo& array, const device::Partial& all) {
  return {.input = array.name,
          .kind = array.kind,
          .type = std::string(base::element_code(array.type)),
          .shape = array.shape,
          .elements = all.elements,
          .nans = all.nans,
          .positive_infinities = all.positive_infinities,
          .negative_infinities = all.negative_infinities};
}

}  // namespace

report::ReduceReport reduce(comm::World& world, const job::ReduceJob& job) {
  std::unique_ptr<store::ArraySource> source;
  std::unique_ptr<store::ArraySource> second;  // of --with
  ReduceGoal goal;
  agree(world, [&] {
    if (world.is_root() && !job.report.empty()) check_output(job.report, "--report", true);
    source = open_input(job.inputs, piece_bytes(job));
    const store::ArrayInfo& array = source->info();
    const bool empty = job::count_elements(array.shape, array.name) == 0;
    if (empty) device::check_answers_of_nothing(job.operations);
    goal.spec = device::spec_of(array.type, job.operations, job.nan);
    if (job.with.empty()) return;
    second = open_second(job, *source);
    goal.with = second.get();
    goal.spec.with_type = second->info().type;
  });
  std::optional<RankDevices> devices;
  open_reduce_devices(devices, job, goal.spec, world);
  Journey journey = reduce_array(world, *source, goal, job, *devices);
  if (!world.is_root()) return {};

  const store::ArrayInfo& array = source->info();
  const device::Partial& all = journey.all.partial;
  report::ReduceReport run = describe_array(array, all);
  for (const job::Operation operation : job.operations) {
    if (operation == job::Operation::histogram) {
      run.operations.push_back(histogram_of(journey.all, *goal.bins));
    } else if (operation == job::Operation::dot) {
      const device::Value value = device::dot_product(all, goal.spec);
      run.operations.push_back({.name = "dot", .values = {{value.text, value.real}}});
    } else {
      run.operations.push_back(answer(operation, all, array, job));
    }
  }
  run.version = base::version_and_commit();
  run.job = job::describe(job);
  run.ranks = std::move(journey.ranks);
  run.work_s = journey.work_s;
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  return run;
}

}  // namespace tessera::run
