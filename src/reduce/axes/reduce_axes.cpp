#include "reduce/axes/reduce_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "farm/thread_reports.hpp"
#include "reduce/axes/axis_output.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/done_note.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_devices.hpp"
#include "reduce/session.hpp"
#include "statistics/operations.hpp"

namespace tessera::reduce {
namespace {

/// Enough items for all lanes to end at about the same time.
constexpr std::int64_t kItemsPerLane = 4;
/// The most work that a thread may lose when the run is stopped.
constexpr std::uint64_t kMostItemBytes = std::uint64_t{1} << 30;

AxisReduction describe_task(const store::ArraySource& source, const job::ReduceJob& job) {
  const store::ArrayInfo& array = source.info();
  AxisReduction task{.source = &source, .job = &job};
  task.output_spec.spec = statistics::spec_of(array.type, job);
  if (const auto& range = job.histogram.range) {
    task.output_spec.bins.emplace(range->first, range->second,
                                  static_cast<std::size_t>(job.histogram.bins));
  }
  for (const job::Operation operation : job.operations) {
    task.results.push_back(statistics::result_of(operation, array.type, job));
  }
  task.plan = plan_axes(source, job, task.output_spec);
  const bool empty = task.plan.output_count() > 0 && task.plan.elements_each() == 0;
  if (empty) statistics::check_answers_of_nothing(job.operations);
  return task;
}

void plan_items(AxisReduction& task, std::int64_t lanes, const ResumeState& found) {
  if (found.shares > 0) {
    task.items = plan::AxisItems(task.plan, {found.tiles_each, found.shares});
    return;
  }
  const auto elements = [&](std::uint64_t bytes) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(bytes / base::element_bytes(task.source->info().type)));
  };
  task.items = plan::AxisItems(task.plan, elements(task.job->slice_bytes), elements(kMostItemBytes),
                               kItemsPerLane * lanes);
}

/// The report on the gather rank. `sink` is null if the output was complete already.
report::ReduceReport report_of(const Session& session, Pass pass, const AxisReduction& task,
                               const statistics::SpecialCounts& specials, const AxisSink* sink) {
  report::ReduceReport run = session.report(std::move(pass), specials, sink);
  const bool has_datasets = job::find_array_format(task.job->output)->has_datasets;
  for (const store::WrittenArray& written : arrays_of(task)) {
    run.arrays.push_back(
        {.name = written.name,
         .type = std::string(written.is_boolean ? "b1" : base::element_code(written.type)),
         .shape = written.shape,
         .file = task.job->output,
         .dataset = has_datasets ? written.name : ""});
  }
  return run;
}

/// Collective. The report of an output that is finished already. `finished` is set on the gather
/// rank.
report::ReduceReport report_finished(Session& session, const AxisReduction& task,
                                     const std::optional<FinishedOutput>& finished) {
  if (session.checkpoints != nullptr) {
    const std::string& path = task.job->output;
    if (!task.job->quiet) fmt::print(stderr, "reduce: {} is complete already\n", path);
    // Left by a run that was killed at its end, or while it computed the same output again.
    if (session.checkpoints->kept()) base::remove_file(base::part_path(path));
    session.checkpoints->remove();
  }
  session.phases.leave();
  Pass nothing{.ranks = farm::gather_reports(session.world,
                                             farm::with_phases({}, session.phases.take_report()))};
  if (!finished) return {};
  report::ReduceReport run =
      report_of(session, std::move(nothing), task, finished->specials, nullptr);
  run.found_complete = true;
  run.found_slices = finished->items;
  return run;
}

/// Opens `output`. If another run has finished the same output in the meantime, returns its note
/// and leaves `output` closed.
std::optional<FinishedOutput> open_or_look_again(const AxisReduction& task,
                                                 ReduceCheckpoints& checkpoints,
                                                 AxisOutput& output) {
  try {
    output.open(task, checkpoints);
    return std::nullopt;
  } catch (const base::NameTaken&) {
    auto finished = check_axis_output(task, checkpoints);
    if (!finished) throw;
    return finished;
  }
}

/// Opens the input and plans the outputs. Returns the note of a finished output, if there is one.
std::optional<FinishedOutput> prepare(Session& session, AxisReduction& task) {
  const job::ReduceJob& job = session.job;
  session.open_arrays(piece_bytes(job));
  task = describe_task(*session.source, job);
  // A source without chunks is opened again, so that its pieces have the plan's size.
  const std::int64_t bytes =
      task.plan.most_elements() *
      static_cast<std::int64_t>(base::element_bytes(session.source->info().type));
  if (session.source->chunk_shape().empty() && bytes != piece_bytes(job)) {
    session.open_arrays(bytes);
    task.source = session.source.get();
  }
  std::optional<FinishedOutput> finished;
  if (session.checkpoints != nullptr) finished = check_axis_output(task, *session.checkpoints);
  // Checks --device even if no device is needed.
  reduce_devices(job.device, session.generates_all());
  if (session.checkpoints != nullptr) base::pause_if_ordered("output.checked");
  return finished;
}

/// Collective. Runs all items and finishes the output. On an error, keeps the unfinished file if a
/// checkpoint is kept.
Pass run_items(Session& session, AxisWork& work, const AxisReduction& task, AxisOutput& output) {
  ReduceCheckpoints* const checkpoints = session.checkpoints;
  try {
    return session.run(work, output.sink(), limits_of(session.job), [&] {
      output.finish(task, *checkpoints);
      checkpoints->remove();
    });
  } catch (...) {
    if (checkpoints != nullptr && checkpoints->kept()) output.keep();
    throw;
  }
}

}  // namespace

report::ReduceReport reduce_axes(comm::World& world, const job::ReduceJob& given,
                                 std::optional<ReduceCheckpoints>& checkpoints) {
  Session session(world, given, checkpoints);
  AxisReduction task;
  std::optional<FinishedOutput> finished;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] { finished = prepare(session, task); });
  const auto is_finished = [&] {
    return comm::all_reduce(world, finished.has_value(), std::logical_or<>());
  };
  if (is_finished()) return report_finished(session, task, finished);
  session.open_devices(
      [&](const device::Device& device) { device.open_axis_reducer(task.output_spec); });
  session.phases.enter(report::Phase::open_file, "opens " + session.job.output);
  std::optional<AxisWork> work;
  comm::agree(world, [&] { work.emplace(task, *session.devices); });
  plan_items(task, farm::total_lanes(world, work->lanes()), session.resumed);
  AxisOutput output;
  comm::agree(world, [&] {
    if (!checkpoints) return;
    finished = open_or_look_again(task, *checkpoints, output);
    if (!finished) session.announce();
  });
  if (is_finished()) return report_finished(session, task, finished);
  Pass pass = run_items(session, *work, task, output);
  if (!world.is_root()) return {};
  return report_of(session, std::move(pass), task, output.sink()->specials(), output.sink());
}

}  // namespace tessera::reduce
