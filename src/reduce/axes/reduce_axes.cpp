#include "reduce/axes/reduce_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/stop_request.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "farm/farm.hpp"
#include "farm/lost_ranks.hpp"
#include "farm/thread_reports.hpp"
#include "plan/schedule.hpp"
#include "reduce/axes/axis_output.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/done_note.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/open_devices.hpp"
#include "reduce/reduce_devices.hpp"
#include "reduce/restart.hpp"
#include "reduce/slice_work.hpp"
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

/// Runs all items; the gather rank writes the results to the file.
farm::FarmResult run_items(comm::World& world, AxisWork& work, const AxisReduction& task,
                           AxisSink* sink) {
  const std::size_t room = std::clamp<std::size_t>(task.job->memory_bytes / 32,
                                                   std::size_t{1} << 20, std::size_t{64} << 20);
  const auto items = static_cast<std::size_t>(task.items.count());
  farm::FarmRun farm{.work = work,
                     .sink = sink,
                     .costs = std::vector<float>(items, 1.0F),
                     .label = "reduce",
                     .items = "tiles",
                     .quiet = task.job->quiet,
                     .limits = {.outbox_bytes = room, .inbox_bytes = room}};
  if (sink != nullptr) farm.finished = sink->finished();
  farm.limits.until = time_limit(world, *task.job);
  return farm::run(world, std::move(farm));
}

report::ReduceReport describe_run(const AxisReduction& task,
                                  const statistics::SpecialCounts& specials) {
  const store::ArrayInfo& array = task.source->info();
  report::ReduceReport run{.version = base::version_and_commit(),
                           .job = job::describe(*task.job),
                           .input = array.name,
                           .kind = array.kind,
                           .type = std::string(base::element_code(array.type)),
                           .shape = array.shape,
                           .elements = plan::element_count(array.shape),
                           .nans = specials.nans,
                           .positive_infinities = specials.positive_infinities,
                           .negative_infinities = specials.negative_infinities};
  const bool npy = task.job->output.ends_with(".npy");
  for (const store::WrittenArray& written : arrays_of(task)) {
    run.arrays.push_back(
        {.name = written.name,
         .type = std::string(written.is_boolean ? "b1" : base::element_code(written.type)),
         .shape = written.shape,
         .file = task.job->output,
         .dataset = npy ? "" : written.name});
  }
  return run;
}

/// Collective. The report of an output that is finished already. `checkpoints` and `finished` are
/// set on the gather rank.
report::ReduceReport report_finished(comm::World& world, const AxisReduction& task,
                                     std::optional<ReduceCheckpoints>& checkpoints,
                                     const std::optional<FinishedOutput>& finished) {
  const std::string& path = task.job->output;
  if (checkpoints) {
    if (!task.job->quiet) fmt::print(stderr, "reduce: {} is complete already\n", path);
    // Left by a run that was killed at its end, or while it computed the same output again.
    if (checkpoints->kept()) base::remove_file(base::part_path(path));
    checkpoints->remove();
  }
  auto ranks = farm::gather_reports(world, {});
  if (!world.is_root()) return {};
  report::ReduceReport run = describe_run(task, finished->specials);
  run.found_complete = true;
  run.found_slices = finished->items;
  run.ranks = std::move(ranks);
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
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

/// Collective. run_items(), but on an error keeps the unfinished file if a checkpoint is kept.
farm::FarmResult make_items(comm::World& world, AxisWork& work, const AxisReduction& task,
                            AxisOutput& output, ReduceCheckpoints* checkpoints) {
  try {
    return run_with_checkpoint(world, checkpoints,
                               [&] { return run_items(world, work, task, output.sink()); });
  } catch (...) {
    if (checkpoints != nullptr && checkpoints->kept()) output.keep();
    throw;
  }
}

}  // namespace

report::ReduceReport reduce_axes(comm::World& world, const job::ReduceJob& given,
                                 std::optional<ReduceCheckpoints>& checkpoints) {
  base::listen_for_stop();
  const ResumeState cut = find_checkpoint(world, given, checkpoints);
  job::ReduceJob job = given;
  job.slice_bytes = cut.slice_bytes;
  std::unique_ptr<store::ArraySource> source;
  AxisReduction task;
  std::optional<FinishedOutput> finished;
  comm::agree(world, [&] {
    source = open_input(job.inputs, piece_bytes(job));
    task = describe_task(*source, job);
    // A source without chunks is opened again, so that its pieces have the plan's size.
    const std::int64_t bytes = task.plan.most_elements() *
                               static_cast<std::int64_t>(base::element_bytes(source->info().type));
    if (source->chunk_shape().empty() && bytes != piece_bytes(job)) {
      source = open_input(job.inputs, bytes);
      task.source = source.get();
    }
    if (checkpoints) finished = check_axis_output(task, *checkpoints);
    // Checks --device even if no device is needed.
    reduce_devices(job.device, {.generated = job.inputs.front().is_generated()});
    if (checkpoints) base::pause_if_ordered("output.checked");
  });
  if (comm::all_reduce(world, finished.has_value(), std::logical_or<>())) {
    return report_finished(world, task, checkpoints, finished);
  }
  std::optional<binding::RankDevices> devices;
  std::optional<AxisWork> work;
  open_reduce_devices(
      devices, {.job = job, .generated = job.inputs.front().is_generated(), .items = "tiles"},
      world, [&](const device::Device& device) { device.open_axis_reducer(task.output_spec); });
  comm::agree(world, [&] { work.emplace(task, *devices); });
  plan_items(task, farm::total_lanes(world, work->lanes()), cut);
  AxisOutput output;
  comm::agree(world, [&] {
    if (checkpoints) finished = open_or_look_again(task, *checkpoints, output);
  });
  if (comm::all_reduce(world, finished.has_value(), std::logical_or<>())) {
    return report_finished(world, task, checkpoints, finished);
  }
  const auto start = base::Clock::now();
  farm::FarmResult result =
      make_items(world, *work, task, output, checkpoints ? &*checkpoints : nullptr);
  comm::agree(world, [&] {
    if (!checkpoints) return;
    output.finish(task, *checkpoints);
    checkpoints->remove();
  });
  const double work_s = base::seconds_between(start, base::Clock::now());
  auto ranks = farm::gather_reports(world, work->report(std::move(result.threads)));
  if (!world.is_root()) return {};
  report::ReduceReport run = describe_run(task, output.sink()->specials());
  if (const auto& found = checkpoints->found()) run.found_slices = found->count_finished();
  run.in_flight = farm::in_flight_of(world, result.repeats);
  run.ranks = std::move(ranks);
  put_counts(run.ranks, output.sink()->reduced(), base::element_bytes(source->info().type), world);
  run.work_s = work_s;
  run.wall_s = base::seconds_between(world.origin(), base::Clock::now());
  return run;
}

}  // namespace tessera::reduce
