#include "reduce/reduce_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/read_number.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "device/powers/power_reducers.hpp"
#include "job/values.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/passes.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/session.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_answers.hpp"

namespace tessera::reduce {
namespace {

/// A checkpoint, and the gather rank's memory, have a bit for each slice: 1 GiB of bits.
// crossed by: test_more_slices_than_there_is_memory_for
constexpr std::int64_t kMaxSlices = std::int64_t{1} << 33;

void check_slices(const job::ReduceJob& job, std::int64_t slices) {
  if (slices <= kMaxSlices) return;
  throw base::usage_error("--slice {}: divides the array into {} slices; 2^33 are possible",
                          job::format_memory(job.slice_bytes), slices);
}

/// Collective. Pass `number` over the array; its result is in `sink`, which is null except on the
/// gather rank.
Pass run_pass(Session& session, const SliceSpec& slice_spec, SliceSink* sink, std::int64_t number) {
  std::optional<SliceWork> work;
  comm::agree(session.world, [&] {
    work.emplace(*session.source, slice_spec, session.job, *session.devices);
    check_slices(session.job, work->items());
    if (sink == nullptr) return;
    sink->begin(number, slice_spec.request, work->items());
    if (number == 0) print_plan({session.job, *session.source}, slice_spec.request);
  });
  return session.run(*work, sink, farm::kSmallResults);
}

/// Collective. The gather rank's request, from `derive`, on every rank.
template <class Derive>
PassRequest agreed_request(Session& session, const SliceSink* sink, const Derive& derive) {
  PassRequest request;
  comm::agree(session.world, [&] {
    if (sink != nullptr) request = derive();
  });
  return comm::broadcast_value(session.world, request);
}

void set_request(SliceSpec& slice_spec, const PassRequest& request, const job::ReduceJob& job) {
  slice_spec.request = request;
  if (!request.range || slice_spec.bins) return;
  slice_spec.bins.emplace(request.range->first, request.range->second,
                          static_cast<std::size_t>(job.histogram.bins));
}

/// Runs passes until no operation needs another one. Starts with the pass of the checkpoint.
Pass reduce_array(Session& session, SliceSpec& slice_spec, SliceSink* sink) {
  const PassContext context{session.job, *session.source};
  const bool resumes = session.resumed.shares > 0;
  PassRequest request = agreed_request(
      session, sink, [&] { return resumes ? sink->request() : first_request(context); });
  Pass all;
  for (std::int64_t number = session.resumed.pass; !request.done(); ++number) {
    set_request(slice_spec, request, session.job);
    Pass pass = run_pass(session, slice_spec, sink, number);
    all = number == session.resumed.pass ? std::move(pass) : add(std::move(all), pass);
    request = agreed_request(session, sink, [&] {
      return sink->derive([&](const PassRequest& last, SliceResult& found, auto& order) {
        return next_request(context, last, found, order);
      });
    });
  }
  return all;
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

report::ReducedOperation answer(job::Operation operation, const SliceSink& sink,
                                const SliceSpec& slice_spec, const store::ArraySource& source,
                                const job::ReduceJob& job) {
  const SliceResult& all = sink.all();
  const statistics::ResultType type = statistics::meaning_of(operation).type;
  report::ReducedOperation answered;
  if (type == statistics::ResultType::bins) answered = histogram_of(all, *slice_spec.bins);
  answered.name = job::operation_name(operation);
  const auto put = [&](const std::vector<statistics::Value>& values) {
    for (const auto& [text, real] : values) answered.values.push_back({text, real});
  };
  put(statistics::answer(operation, all.partial, slice_spec.spec, job.ddof));
  put(statistics::order_answer(operation, job, slice_spec.spec.type, all.partial, sink.order()));
  for (const job::Operation place : places_of(operation)) {
    const auto at = statistics::answer(place, all.partial, slice_spec.spec, job.ddof);
    add_place(base::read_integer(at.front().text).value(), source, answered.places);
  }
  if (type == statistics::ResultType::top_index) {
    for (const report::ReducedValue& value : answered.values) {
      answered.coordinates_each.push_back(
          coordinates_of(base::read_integer(value.text).value(), source.info().shape));
    }
  }
  if (type != statistics::ResultType::index) return answered;
  const std::int64_t index = base::read_integer(answered.values.front().text).value();
  if (index >= 0) answered.coordinates = coordinates_of(index, source.info().shape);
  return answered;
}

/// What netCDF writes where nothing was written and no _FillValue is set, as a key; nothing for
/// bytes, where it is an ordinary value.
std::optional<statistics::OrderKey> default_fill(base::ElementType type) {
  using enum base::ElementType;
  constexpr double kFill = 9.9692099683868690e+36;
  switch (type) {
    case i16:
      return statistics::key_of(std::int64_t{-32767});
    case i32:
      return statistics::key_of(std::int64_t{-2147483647});
    case i64:
      return statistics::key_of(std::int64_t{-9223372036854775806});
    case u16:
      return statistics::key_of(std::uint64_t{65535});
    case u32:
      return statistics::key_of(std::uint64_t{4294967295});
    case u64:
      return statistics::key_of(std::uint64_t{18446744073709551614U});
    case f32:
      return statistics::key_of(static_cast<double>(static_cast<float>(kFill)));
    case f64:
      return statistics::key_of(kFill);
    default:
      return std::nullopt;
  }
}

/// Says so if an extreme of an array from HDF5 looks like an element that was never written.
void tell_default_fill(const Session& session, const SliceSpec& slice_spec,
                       const statistics::Partial& all) {
  const store::ArrayInfo& array = session.source->info();
  const bool is_packed =
      array.unpacking && (array.unpacking->scale_factor || array.unpacking->add_offset);
  const auto fill = default_fill(array.type);
  if (session.job.quiet || is_packed || !fill || !slice_spec.spec.extremes || all.elements == 0 ||
      array.kind.find("HDF5") == array.kind.npos || (all.least != *fill && all.greatest != *fill)) {
    return;
  }
  const job::Operation side = all.greatest == *fill ? job::Operation::max : job::Operation::min;
  const auto values = statistics::answer(side, all, slice_spec.spec, 0);
  base::log("reduce: {}: {} counts; it is netCDF's default fill (--missing {})",
            base::printable(array.name), values.front().text, values.front().text);
}

SliceSpec open_arrays(Session& session) {
  const job::ReduceJob& job = session.job;
  if (session.world.is_root()) check_reduce_files(job);
  session.open_arrays(piece_bytes(job));
  const store::ArrayInfo& array = session.source->info();
  const bool empty = job::count_elements(array.shape, array.name) == 0;
  if (empty) statistics::check_defined_on_empty(job.operations);
  SliceSpec slice_spec{.spec = statistics::spec_of(array.type, job), .with = session.with.get()};
  slice_spec.spec.places |= slice_spec.spec.extremes && !empty && session.source->part_at(0);
  if (session.with) slice_spec.spec.with_type = session.with->info().type;
  return slice_spec;
}

}  // namespace

report::ReduceReport reduce_values(Session& session, PartialState* state) {
  comm::World& world = session.world;
  const job::ReduceJob& job = session.job;
  SliceSpec slice_spec;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] { slice_spec = open_arrays(session); });
  session.open_devices(
      [&](const device::Device& device) { device::open_reducer(device, slice_spec.spec); });
  std::optional<SliceSink> sink;
  if (session.checkpoints != nullptr) {
    const auto& found = session.checkpoints->found();
    sink.emplace(found ? &*found : nullptr);
    session.announce();
  }
  Pass pass = reduce_array(session, slice_spec, sink ? &*sink : nullptr);
  if (!world.is_root()) return {};

  const statistics::Partial& all = sink->all().partial;
  if (state != nullptr) *state = {slice_spec.spec, all};
  check_range(*session.source, all.missing);
  tell_default_fill(session, slice_spec, all);
  report::ReduceReport run = session.report(
      std::move(pass), {all.nans, all.positive_infinities, all.negative_infinities, all.missing},
      &*sink);
  for (const job::Operation operation : job.operations) {
    run.operations.push_back(answer(operation, *sink, slice_spec, *session.source, job));
  }
  return run;
}

}  // namespace tessera::reduce
