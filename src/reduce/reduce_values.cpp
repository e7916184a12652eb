#include "reduce/reduce_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/read_number.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "device/powers/power_reducers.hpp"
#include "job/arrays/reduce_identity.hpp"
#include "job/values.hpp"
#include "reduce/fill_remarks.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/kept_answers.hpp"
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
Pass run_pass(Session& session, const PassContext& context, const SliceSpec& slice_spec,
              SliceSink* sink, std::int64_t number) {
  std::optional<SliceWork> work;
  comm::agree(session.world, [&] {
    work.emplace(context.source, slice_spec, context.job, *session.devices);
    check_slices(context.job, work->items());
    if (sink == nullptr) return;
    sink->begin(number, slice_spec.request, work->items(), session.shared.share);
    if (number == 0) print_plan(context, slice_spec.request);
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
Pass reduce_array(Session& session, const job::ReduceJob& job, SliceSpec& slice_spec,
                  SliceSink* sink) {
  const PassContext context{job, *session.source};
  const bool resumes = session.resumed.shares > 0;
  PassRequest request = agreed_request(
      session, sink, [&] { return resumes ? sink->request() : first_request(context); });
  Pass all;
  for (std::int64_t number = session.resumed.pass; !request.done(); ++number) {
    set_request(slice_spec, request, job);
    Pass pass = run_pass(session, context, slice_spec, sink, number);
    all = number == session.resumed.pass ? std::move(pass) : add(std::move(all), pass);
    request = agreed_request(session, sink, [&] {
      return sink->derive([&](const PassRequest& last, SliceResult& found, auto& order) {
        return next_request(context, last, found, order);
      });
    });
  }
  return all;
}

/// What the answers follow from.
struct Found {
  KeptAnswers all;  ///< without its options and arrays unless there is a state
  statistics::OrderFindings order;
  const store::ArraySource* source = nullptr;  ///< of all elements; null if there are more
};

report::ReducedOperation histogram_of(const KeptAnswers& all) {
  report::ReducedOperation answered{.edges = all.edges};
  for (std::size_t bin = 0; bin + 1 < all.edges.size(); ++bin) {
    const std::int64_t count = bin < all.histogram.size() ? all.histogram[bin] : 0;
    answered.values.push_back({fmt::format("{}", count), {}});
  }
  return answered;
}

/// The operations that say where the answers of this one are.
std::vector<job::Operation> places_of(job::Operation operation) {
  using enum job::Operation;
  if (operation == min || operation == argmin) return {argmin};
  if (operation == max || operation == argmax) return {argmax};
  return operation == minmax ? std::vector{argmin, argmax} : std::vector<job::Operation>{};
}

/// Adds the place of element `index` if the array was joined from several.
void add_place(std::int64_t index, const Found& found, std::vector<report::ReducedPlace>& places) {
  if (index < 0 || found.source == nullptr) return;
  std::vector<std::int64_t> coordinates = plan::coordinates_of(index, found.all.shape);
  const auto part = coordinates.empty() ? std::nullopt : found.source->part_at(coordinates.front());
  if (!part) return;
  coordinates.front() -= part->row;
  places.push_back({part->array, std::move(coordinates)});
}

report::ReducedOperation answer(job::Operation operation, const Found& found,
                                const job::ReduceJob& job) {
  const KeptAnswers& all = found.all;
  const statistics::ResultType type = statistics::meaning_of(operation).type;
  report::ReducedOperation answered;
  if (type == statistics::ResultType::bins) answered = histogram_of(all);
  answered.name = job::operation_name(operation);
  const auto put = [&](const std::vector<statistics::Value>& values) {
    for (const auto& [text, real] : values) answered.values.push_back({text, real});
  };
  put(statistics::answer(operation, all.sums, all.spec, job.ddof));
  put(statistics::order_answer(operation, job, all.spec.type, all.sums, found.order));
  for (const job::Operation place : places_of(operation)) {
    const auto at = statistics::answer(place, all.sums, all.spec, job.ddof);
    add_place(base::read_integer(at.front().text).value(), found, answered.places);
  }
  if (type == statistics::ResultType::top_index) {
    for (const report::ReducedValue& value : answered.values) {
      answered.coordinates_each.push_back(
          plan::coordinates_of(base::read_integer(value.text).value(), all.shape));
    }
  }
  if (type != statistics::ResultType::index) return answered;
  const std::int64_t index = base::read_integer(answered.values.front().text).value();
  if (index >= 0) answered.coordinates = plan::coordinates_of(index, all.shape);
  return answered;
}

/// `is_part`: of an array whose other parts come from elsewhere.
SliceSpec open_slices(Session& session, const job::ReduceJob& job, bool is_part) {
  if (session.world.is_root()) check_reduce_files(job, session.facts);
  open_arrays(session, job, piece_bytes(job));
  const store::ArrayInfo& array = session.source->info();
  const bool empty = job::count_elements(array.shape, array.name) == 0;
  if (empty && job.states.empty() && !is_part) statistics::check_defined_on_empty(job.operations);
  SliceSpec slice_spec{.spec = statistics::spec_of(array.type, job), .with = session.with.get()};
  slice_spec.spec.places |= slice_spec.spec.extremes && !empty && session.source->part_at(0);
  if (session.with) slice_spec.spec.with_type = session.with->info().type;
  return slice_spec;
}

/// Gather rank. What the array gave.
Found found_of(const Session& session, const SliceSpec& slice_spec, const SliceSink& sink,
               KeptAnswers answers) {
  const SliceResult& all = sink.all();
  set_arrays(answers, session.source->shown(), session.with.get());
  answers.spec = slice_spec.spec;
  answers.sums = all.partial;
  answers.histogram = all.histogram;
  if (slice_spec.bins) {
    answers.edges = {slice_spec.bins->edges().begin(), slice_spec.bins->edges().end()};
  }
  return {.all = std::move(answers), .order = sink.order(), .source = session.source.get()};
}

/// Adds what the state of --state had before, and writes it.
void keep(Found& found, StateFile& state, const job::ReduceJob& job) {
  if (state.earlier()) {
    const KeptAnswers later = std::exchange(found.all, *state.earlier());
    found.all.add(later);
    found.source = nullptr;
  }
  if (plan::element_count(found.all.shape) == 0) {
    statistics::check_defined_on_empty(job.operations);
  }
  state.write(found.all);
}

void put_answers(const Found& found, const job::ReduceJob& job, report::ReduceReport& run) {
  const statistics::Partial& sums = found.all.sums;
  run.type = found.all.type;
  run.shape = found.all.shape;
  run.elements = plan::element_count(run.shape);
  run.nans = sums.nans;
  run.positive_infinities = sums.positive_infinities;
  run.negative_infinities = sums.negative_infinities;
  run.missing_fill = sums.missing.fill;
  run.missing_range = sums.missing.range;
  run.may_miss |= sums.missing.total() > 0;
  if (!job.states.empty()) {
    const bool written = !job.inputs.empty() || job.append;
    run.kept =
        report::KeptState{.file = written ? job.states.front() : base::join(job.states, ", "),
                          .arrays = std::ssize(found.all.arrays)};
  }
  for (const job::Operation operation : job.operations) {
    run.operations.push_back(answer(operation, found, job));
  }
}

/// The job whose answers a state has, or some of them.
job::ReduceJob job_of(const KeptAnswers& all, const job::ReduceJob& given) {
  job::ReduceJob job;
  std::vector<job::Given> options;
  for (const auto& [name, value] : all.options) {
    options.push_back({name, value, fmt::format("the state's {}", name)});
  }
  job::apply_options<job::ReduceJob>(job, job::reduce_options(), options);
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(given.given, name) != given.given.end();
  };
  for (const auto& option : job::reduce_options()) {
    if (!job::decides_numbers(option) || option.name == "op" || option.name == "ddof") continue;
    if (!is_given(option.name) || option.get(given) == option.get(job)) continue;
    const std::string value = option.get(job);
    throw base::usage_error("--{}: the state has {}, which stays so without an INPUT", option.name,
                            value.empty() ? "none" : base::printable(value));
  }
  if (is_given("ddof")) job.ddof = given.ddof;
  for (const job::Operation operation : given.operations) {
    if (std::ranges::find(job.operations, operation) != job.operations.end()) continue;
    throw base::usage_error("--op {}: is not in the state, which has {}",
                            job::operation_name(operation),
                            job::format_operations(job.operations, job));
  }
  if (!given.operations.empty()) job.operations = given.operations;
  job.states = given.states;
  job.append = given.append;
  return job;
}

}  // namespace

report::ReduceReport answer_from_states(comm::World& world, const job::ReduceJob& job) {
  report::ReduceReport run{.version = base::version_and_commit(), .job = job::describe(job)};
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    for (const auto& [name, is_there] : {std::pair("output", !job.output.empty()),
                                         {"with", job.with.has_value()},
                                         {"weights", job.weights.has_value()}}) {
      if (!is_there) continue;
      throw base::usage_error("--{}: a state has no arrays; name an INPUT, or leave it out", name);
    }
    check_reduce_files(job, facts_of(job));
    std::optional<StateFile> first;
    if (job.append) first.emplace(job.states.front(), true, false);
    const bool has_it = first && first->earlier();
    Found found{.all = has_it ? *first->earlier() : read_state(job.states.front())};
    for (const std::string& file : std::span(job.states).subspan(1)) {
      const KeptAnswers later = read_state(file);
      found.all.check(later, base::printable(job.states.front()));
      found.all.add(later);
    }
    run.input = base::join(job.states, ", ");
    run.kind = "states";
    put_answers(found, job_of(found.all, job), run);
    if (first) first->write(found.all);
    run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  });
  return run;
}

report::ReduceReport reduce_values(Session& session, const job::ReduceJob& job,
                                   PartialState* partial) {
  comm::World& world = session.world;
  SliceSpec slice_spec;
  std::optional<StateFile> state;  // on the gather rank, as the next one is
  KeptAnswers answers;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] {
    if (!job.states.empty()) {
      check_kept(job, "--state");
      check_no_index(job);
    }
    slice_spec = open_slices(session, job, partial != nullptr);
    if (job.states.empty() || !world.is_root()) return;
    answers = describe_answers(job);
    set_arrays(answers, *session.source, session.with.get());
    state.emplace(job.states.front(), job.append, job.overwrite);
    if (state->earlier()) state->earlier()->check(answers, base::printable(state->path()));
  });
  session.open_devices(
      [&](const device::Device& device) { device::open_reducer(device, slice_spec.spec); });
  std::optional<SliceSink> sink;
  if (session.checkpoints != nullptr) {
    const auto& found = session.checkpoints->found();
    sink.emplace(found ? &*found : nullptr);
    session.announce();
  }
  Pass pass = reduce_array(session, job, slice_spec, sink ? &*sink : nullptr);
  if (session.shared.made != nullptr && sink) {
    *session.shared.made = sink->checkpoint(session.checkpoints->blank(job.slice_bytes));
  }
  if (!session.shared.share.whole()) {
    return world.is_root() ? session.report(std::move(pass), {}, &*sink) : report::ReduceReport();
  }
  Found found;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    check_range(*session.source, sink->all().partial.missing);
    found = found_of(session, slice_spec, *sink, std::move(answers));
    if (state) keep(found, *state, job);
  });
  if (!world.is_root()) return {};

  if (partial != nullptr) *partial = {slice_spec.spec, sink->all().partial};
  if (!job.quiet && slice_spec.spec.extremes) {
    tell_fill(*session.source, slice_spec.spec, sink->all().partial);
  }
  report::ReduceReport run = session.report(std::move(pass), {}, &*sink);
  put_answers(found, job, run);
  return run;
}

}  // namespace tessera::reduce
