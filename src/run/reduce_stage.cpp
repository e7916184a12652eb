#include "run/reduce_stage.hpp"

#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/version.hpp"
#include "device/reduction_answer.hpp"
#include "plan/schedule.hpp"
#include "run/agree.hpp"
#include "run/farm.hpp"
#include "run/lanes.hpp"
#include "run/preflight.hpp"
#include "run/progress.hpp"
#include "run/reduce_work.hpp"
#include "run/thread_reports.hpp"
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

std::vector<report::ReduceRank> gather_ranks(comm::World& world, report::ReduceRank mine) {
  mine.rank = world.rank();
  mine.host = world.host();
  mine.peak_memory_bytes = peak_memory_bytes();
  std::vector<report::ReduceRank> all;
  for (const base::Bytes& part : world.gather(report::serialize(mine))) {
    all.push_back(report::deserialize_reduce_rank(part));
  }
  return all;
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
  std::optional<ReduceWork> work;
  agree(world, [&] {
    if (world.is_root() && !job.report.empty()) check_output(job.report, "--report", true);
    source = store::open_array(job.input, piece_bytes(job));
    const store::ArrayInfo& array = source->info();
    const bool empty = job::count_elements(array.shape, array.name) == 0;
    if (empty) device::check_answers_of_nothing(job.operations);
    work.emplace(*source, device::spec_of(array.type, job.operations, job.nan), job, world);
  });
  const auto start = base::Clock::now();
  ReduceSink sink;
  const auto threads = reduce_slices(world, *work, job.quiet, sink);
  const double work_s = base::seconds_between(start, base::Clock::now());
  auto ranks = gather_ranks(world, work->report(threads));
  if (!world.is_root()) return {};

  const store::ArrayInfo& array = source->info();
  report::ReduceReport run = describe_array(array, sink.all());
  for (const job::Operation operation : job.operations) {
    run.operations.push_back(answer(operation, sink.all(), array, job));
  }
  run.version = base::version_and_commit();
  run.job = job::describe(job);
  run.ranks = std::move(ranks);
  run.work_s = work_s;
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  return run;
}

}  // namespace tessera::run
