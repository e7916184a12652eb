#include "reduce/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/session.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/operations.hpp"

namespace tessera::reduce {
namespace {

/// Collective. A pass over the array; its result is in `sink`, which is null except on the gather
/// rank.
Pass run_pass(Session& session, const SliceSpec& slice_spec, SliceSink* sink, std::int64_t number) {
  std::optional<SliceWork> work;
  comm::agree(session.world, [&] {
    work.emplace(*session.source, slice_spec, session.job, *session.devices);
    if (sink != nullptr) sink->begin(number, work->items());
  });
  return session.run(*work, sink, farm::kSmallResults);
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

/// Runs one pass, or two for a histogram whose range is not given: the first pass finds the range.
/// Starts with the pass of the checkpoint.
Pass reduce_array(Session& session, SliceSpec& slice_spec, SliceSink* sink) {
  const job::ReduceJob& job = session.job;
  const auto bins = static_cast<std::size_t>(job.histogram.bins);
  const auto& given = job.histogram.range;
  if (given) slice_spec.bins.emplace(given->first, given->second, bins);
  Pass pass;
  if (session.resumed.pass == 0) pass = run_pass(session, slice_spec, sink, 0);
  if (statistics::passes_of(job) == 1) return pass;

  Range range;
  comm::agree(session.world, [&] {
    if (sink == nullptr) return;
    range = histogram_range(sink->all().partial, session.source->info().type);
  });
  const auto shared = comm::broadcast_value(session.world, std::array{range.first, range.second});
  slice_spec.bins.emplace(shared[0], shared[1], bins);
  slice_spec.partial = false;
  Pass second = run_pass(session, slice_spec, sink, 1);
  if (session.resumed.pass > 0) return second;
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

SliceSpec open_arrays(Session& session) {
  const job::ReduceJob& job = session.job;
  if (session.world.is_root()) check_reduce_files(job);
  session.open_arrays(piece_bytes(job));
  const store::ArrayInfo& array = session.source->info();
  const bool empty = job::count_elements(array.shape, array.name) == 0;
  if (empty) statistics::check_answers_of_nothing(job.operations);
  SliceSpec slice_spec{.spec = statistics::spec_of(array.type, job), .with = session.with.get()};
  slice_spec.spec.places |= slice_spec.spec.extremes && !empty && session.source->part_at(0);
  if (session.with) slice_spec.spec.with_type = session.with->info().type;
  return slice_spec;
}

}  // namespace

report::ReduceReport reduce(comm::World& world, const job::ReduceJob& given,
                            std::optional<ReduceCheckpoints>& checkpoints) {
  Session session(world, given, checkpoints);
  const job::ReduceJob& job = session.job;
  SliceSpec slice_spec;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] { slice_spec = open_arrays(session); });
  session.open_devices([&](const device::Device& device) { device.open_reducer(slice_spec.spec); });
  std::optional<SliceSink> sink;
  if (checkpoints) {
    const auto& found = checkpoints->found();
    sink.emplace(found ? &*found : nullptr);
    session.announce();
  }
  Pass pass = reduce_array(session, slice_spec, sink ? &*sink : nullptr);
  if (!world.is_root()) return {};

  const statistics::Partial& all = sink->all().partial;
  report::ReduceReport run = session.report(
      std::move(pass), {all.nans, all.positive_infinities, all.negative_infinities}, &*sink);
  for (const job::Operation operation : job.operations) {
    run.operations.push_back(answer(operation, sink->all(), slice_spec, *session.source, job));
  }
  return run;
}

}  // namespace tessera::reduce
