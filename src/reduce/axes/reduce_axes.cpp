#include "reduce/axes/reduce_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/bools.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "device/powers/power_reducers.hpp"
#include "reduce/axes/axis_files.hpp"
#include "reduce/axes/axis_output.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/axes/map_plan.hpp"
#include "reduce/axes/map_work.hpp"
#include "reduce/axes/output_scales.hpp"
#include "reduce/done_note.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_devices.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/session.hpp"
#include "statistics/operations.hpp"

namespace tessera::reduce {
namespace {

/// What `reduce --axis` and `map` do differently.
struct ArrayCommand {
  std::function<void(std::int64_t piece_bytes)> open_arrays;
  std::function<void(AxisReduction& task)> describe;  ///< begins with these arrays
  std::function<std::unique_ptr<ItemWork>(const AxisReduction& task, binding::RankDevices& devices)>
      open_work;
  /// As Session::open_devices() takes it.
  std::function<void(const AxisReduction& task, const device::Device& device)> check;
};

/// Enough items for all lanes to end at about the same time.
constexpr std::int64_t kItemsPerLane = 4;
/// The most work that a thread may lose when the run is stopped.
// not crossed: takes GiB
constexpr std::uint64_t kMaxItemBytes = std::uint64_t{1} << 30;

/// An output may have no element. Its answer is NaN then, in the float that holds all elements; 64
/// bits have none.
void make_room_for_nan(statistics::AnswerType& result) {
  const std::size_t bytes = base::element_bytes(result.type);
  if (base::is_floating(result.type) || result.is_boolean || bytes == 8) return;
  result.type = bytes <= 2 ? base::ElementType::f32 : base::ElementType::f64;
}

store::WrittenArray array_of(const statistics::AnswerType& result, const AxisReduction& task) {
  store::WrittenArray array{.name = std::string(job::operation_name(result.operation)),
                            .type = result.type,
                            .is_boolean = result.is_boolean,
                            .shape = task.plan.outputs()};
  if (result.is_list) array.shape.push_back(result.values_each);
  if (result.operation == job::Operation::histogram) {
    const std::span edges = task.output_spec.bins->edges();
    array.edges = {edges.begin(), edges.end()};
  }
  return array;
}

/// Usage errors for order statistics that the outputs do not have.
void check_order(const AxisReduction& task) {
  if (!task.keeps_keys) return;
  const base::ElementType type = task.source->info().type;
  const std::int64_t each = task.plan.elements_each();
  const statistics::OrderPasses checked(*task.reduction, type, each, 0);
  for (const statistics::AnswerType& result : task.results) {
    const bool top =
        result.operation == job::Operation::topk || result.operation == job::Operation::argtopk;
    if (top && result.values_each > each) {
      throw base::usage_error("--op {}={}: an output has only {}",
                              job::operation_name(result.operation), result.values_each,
                              base::count_of(each, "element"));
    }
    const bool quantile = result.operation == job::Operation::quantile;
    const bool nothing = each == 0 && task.plan.output_count() > 0;
    if (quantile && nothing && !base::is_floating(result.type)) {
      throw base::usage_error("--op quantile: the array is empty");
    }
  }
}

void describe_reduction(const job::ReduceJob& job, AxisReduction& task) {
  const store::ArrayInfo& array = task.source->info();
  task.reduction = &job;
  task.attributes = result_attributes(job, "tessera-reduction");
  task.keeps_keys = statistics::OrderPasses::requested(job);
  task.output_spec.spec = statistics::spec_of(array.type, job);
  if (const auto& range = job.histogram.range) {
    task.output_spec.bins.emplace(range->first, range->second,
                                  static_cast<std::size_t>(job.histogram.bins));
  }
  for (const job::Operation operation : job.operations) {
    task.results.push_back(statistics::result_of(operation, array.type, job, array.is_boolean));
    if (array.missing) make_room_for_nan(task.results.back());
  }
  task.plan = plan_axes(*task.source, job, task.output_spec);
  const bool empty = task.plan.output_count() > 0 && task.plan.elements_each() == 0;
  if (empty) statistics::check_defined_on_empty(job.operations);
  check_order(task);
  for (const auto& result : task.results) task.arrays.push_back(array_of(result, task));
}

void plan_items(AxisReduction& task, std::int64_t lanes, const ResumeState& found) {
  if (found.shares > 0) {
    task.items = plan::AxisItems(task.plan, {found.tiles_each, found.shares});
    return;
  }
  if (task.keeps_keys) {
    task.items = plan::AxisItems(task.plan, {});
    return;
  }
  const auto elements = [&](std::uint64_t bytes) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(bytes / base::element_bytes(task.source->info().type)));
  };
  task.items = plan::AxisItems(task.plan, elements(task.job->slice_bytes), elements(kMaxItemBytes),
                               kItemsPerLane * lanes);
  if (task.tiles_together == 1) return;
  const std::int64_t runs =
      (task.items.cut().tiles_each + task.tiles_together - 1) / task.tiles_together;
  task.items = plan::AxisItems(task.plan, {.tiles_each = runs * task.tiles_together});
}

/// The report on the gather rank. `sink` is null if the output was complete already.
report::ReduceReport report_of(const Session& session, Pass pass, const AxisReduction& task,
                               const statistics::SpecialCounts& specials, const AxisSink* sink) {
  report::ReduceReport run = session.report(std::move(pass), specials, sink);
  for (std::size_t i = 0; i < task.arrays.size(); ++i) {
    const store::WrittenArray& written = task.arrays[i];
    const std::string file = task.files.empty() ? "" : task.files[task.place_of(i).file];
    run.arrays.push_back({.name = written.name,
                          .type = std::string(base::element_code(written.type, written.is_boolean)),
                          .shape = written.shape,
                          .file = file,
                          .dataset = job::has_datasets(file) ? written.name : ""});
  }
  return run;
}

/// Collective. The report of an output that is finished already. `finished` is set on the gather
/// rank.
report::ReduceReport report_finished(Session& session, const AxisReduction& task,
                                     const std::optional<FinishedOutput>& finished) {
  Pass nothing = session.leave_complete();
  if (!finished) return {};
  report::ReduceReport run =
      report_of(session, std::move(nothing), task, finished->specials, nullptr);
  run.found_complete = true;
  run.found_slices = finished->items;
  return run;
}

/// Opens the input and plans the outputs. Returns the note of a finished output, if there is one.
std::optional<FinishedOutput> prepare(Session& session, const ArrayCommand& command,
                                      const AxisOutput& output, AxisReduction& task) {
  const job::ArrayJob& job = session.job;
  command.open_arrays(piece_bytes(job));
  task = {.source = session.source.get(),
          .job = &job,
          .facts = &session.facts,
          .files = session.facts.outputs};
  command.describe(task);
  // A source without chunks is opened again, so that its pieces have the plan's size.
  const std::int64_t bytes =
      task.plan.max_elements() *
      static_cast<std::int64_t>(base::element_bytes(session.source->info().type));
  if (session.source->chunk_shape().empty() && bytes != piece_bytes(job)) {
    command.open_arrays(bytes);
    task.source = session.source.get();
  }
  std::optional<FinishedOutput> finished;
  if (session.checkpoints != nullptr) {
    if (std::ranges::any_of(task.files, job::has_datasets)) set_scales(task);
    finished = output.check(task, *session.checkpoints);
  }
  // Checks --device even if no device is needed.
  reduce_devices(job.device, session.file_bytes());
  if (session.checkpoints != nullptr) base::pause_if_ordered("output.checked");
  return finished;
}

/// Collective. Runs all items and finishes the output. On an error, keeps the unfinished file if a
/// checkpoint is kept.
Pass run_items(Session& session, ItemWork& work, const AxisReduction& task, AxisOutput& output) {
  ReduceCheckpoints* const checkpoints = session.checkpoints;
  try {
    return session.run(work, output.sink(), limits_of(session.job), [&] {
      check_range(*session.source, output.sink()->specials().missing);
      output.finish(task, *checkpoints);
      checkpoints->remove();
    });
  } catch (...) {
    if (checkpoints != nullptr && checkpoints->kept()) output.keep();
    throw;
  }
}

report::ReduceReport make_arrays(Session& session, const ArrayCommand& command, ArraySink* sink) {
  comm::World& world = session.world;
  AxisReduction task;
  const std::unique_ptr<AxisOutput> output = make_output(sink);
  std::optional<FinishedOutput> finished;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] { finished = prepare(session, command, *output, task); });
  const auto is_finished = [&] {
    return comm::all_reduce(world, finished.has_value(), std::logical_or<>());
  };
  if (is_finished()) return report_finished(session, task, finished);
  session.open_devices([&](const device::Device& device) { command.check(task, device); });
  session.phases.enter(report::Phase::open_file, "opens " + base::join(task.files));
  std::unique_ptr<ItemWork> work;
  comm::agree(world, [&] { work = command.open_work(task, *session.devices); });
  plan_items(task, farm::total_lanes(world, work->lanes()), session.resumed);
  comm::agree(world, [&] {
    if (session.checkpoints == nullptr) return;
    finished = output->open(task, *session.checkpoints);
    if (!finished) session.announce();
  });
  if (is_finished()) return report_finished(session, task, finished);
  output->share(world, task);
  Pass pass = run_items(session, *work, task, *output);
  if (!world.is_root()) return {};
  return report_of(session, std::move(pass), task, output->sink()->specials(), output->sink());
}

}  // namespace

report::ReduceReport reduce_axes(Session& session, const job::ReduceJob& job, ArraySink* sink) {
  const ArrayCommand command{
      .open_arrays = [&](std::int64_t bytes) { open_arrays(session, job, bytes); },
      .describe = [&](AxisReduction& task) { describe_reduction(job, task); },
      .open_work = &open_axis_work,
      .check =
          [](const AxisReduction& task, const device::Device& device) {
            device::open_axis_reducer(device, task.output_spec);
          }};
  return make_arrays(session, command, sink);
}

report::ReduceReport map_arrays(Session& session, const job::MapJob& job, ArraySink* sink) {
  const ArrayCommand command{
      .open_arrays = [&](std::int64_t bytes) { session.take(open_mapped(job, bytes)); },
      .describe = [&](AxisReduction& task) { describe_map(job, task); },
      .open_work = &open_map_work,
      .check = [](const AxisReduction&, const device::Device& device) { device.open_mapper(); }};
  return make_arrays(session, command, sink);
}

}  // namespace tessera::reduce
