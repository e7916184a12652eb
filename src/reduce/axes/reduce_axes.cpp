#include "reduce/axes/reduce_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bools.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/broadcast_value.hpp"
#include "device/powers/power_reducers.hpp"
#include "farm/thread_reports.hpp"
#include "reduce/axes/axis_output.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/axes/map_plan.hpp"
#include "reduce/axes/map_work.hpp"
#include "reduce/done_note.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_devices.hpp"
#include "reduce/session.hpp"
#include "statistics/operations.hpp"

namespace tessera::reduce {
namespace {

/// What `reduce --axis` and `map` do differently.
struct ArrayCommand {
  AxisReduction (*describe)(const store::ArraySource& source, const job::ReduceJob& job);
  std::unique_ptr<ItemWork> (*open)(const AxisReduction& task, binding::RankDevices& devices);
  /// As Session::open_devices() takes it.
  void (*check)(const AxisReduction& task, const device::Device& device);
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

AxisReduction describe_task(const store::ArraySource& source, const job::ReduceJob& job) {
  const store::ArrayInfo& array = source.info();
  AxisReduction task{.source = &source, .job = &job, .files = job::output_files(job)};
  task.output_spec.spec = statistics::spec_of(array.type, job);
  if (const auto& range = job.histogram.range) {
    task.output_spec.bins.emplace(range->first, range->second,
                                  static_cast<std::size_t>(job.histogram.bins));
  }
  for (const job::Operation operation : job.operations) {
    task.results.push_back(statistics::result_of(operation, array.type, job, array.is_boolean));
    if (array.missing) make_room_for_nan(task.results.back());
  }
  task.plan = plan_axes(source, job, task.output_spec);
  const bool empty = task.plan.output_count() > 0 && task.plan.elements_each() == 0;
  if (empty) statistics::check_defined_on_empty(job.operations);
  return task;
}

/// Usage errors for order statistics that the outputs do not have.
void check_order(const AxisReduction& task) {
  const job::ReduceJob& job = *task.job;
  if (!task.keeps_keys()) return;
  const base::ElementType type = task.source->info().type;
  const std::int64_t each = task.plan.elements_each();
  const statistics::OrderPasses checked(job, type, each, 0);
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

void plan_items(AxisReduction& task, std::int64_t lanes, const ResumeState& found) {
  if (found.shares > 0) {
    task.items = plan::AxisItems(task.plan, {found.tiles_each, found.shares});
    return;
  }
  if (task.keeps_keys()) {
    task.items = plan::AxisItems(task.plan, {});
    return;
  }
  const auto elements = [&](std::uint64_t bytes) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(bytes / base::element_bytes(task.source->info().type)));
  };
  task.items = plan::AxisItems(task.plan, elements(task.job->slice_bytes), elements(kMaxItemBytes),
                               kItemsPerLane * lanes);
}

/// The report on the gather rank. `sink` is null if the output was complete already.
report::ReduceReport report_of(const Session& session, Pass pass, const AxisReduction& task,
                               const statistics::SpecialCounts& specials, const AxisSink* sink) {
  report::ReduceReport run = session.report(std::move(pass), specials, sink);
  const std::vector<store::WrittenArray> arrays = arrays_of(task);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const store::WrittenArray& written = arrays[i];
    const std::string& file = task.files[task.place_of(i).file];
    run.arrays.push_back(
        {.name = written.name,
         .type = std::string(base::element_code(written.type, written.is_boolean)),
         .shape = written.shape,
         .file = file,
         .dataset = job::find_array_format(file)->has_datasets ? written.name : ""});
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
std::optional<FinishedOutput> prepare(Session& session, const ArrayCommand& command,
                                      AxisReduction& task) {
  const job::ReduceJob& job = session.job;
  session.open_arrays(piece_bytes(job));
  task = command.describe(*session.source, job);
  check_order(task);
  // A source without chunks is opened again, so that its pieces have the plan's size.
  const std::int64_t bytes =
      task.plan.max_elements() *
      static_cast<std::int64_t>(base::element_bytes(session.source->info().type));
  if (session.source->chunk_shape().empty() && bytes != piece_bytes(job)) {
    session.open_arrays(bytes);
    task.source = session.source.get();
  }
  std::optional<FinishedOutput> finished;
  if (session.checkpoints != nullptr) finished = check_axis_output(task, *session.checkpoints);
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

/// The gather rank's files, for ranks that write their results by themselves.
struct OutputPlace {
  std::string host;
  std::vector<base::FileIdentity> files;
  std::vector<std::vector<std::uint64_t>> offsets;  ///< by file

  static auto members(auto& self) { return std::tie(self.host, self.files, self.offsets); }
};

/// The number of the first array in the file.
std::size_t first_array(const AxisReduction& task, std::size_t file) {
  return task.files.size() == 1 ? 0 : file;
}

/// Opens the files without chunks. Nothing if they are not those of the gather rank.
std::vector<std::shared_ptr<store::PlacedArrays>> open_placed(const AxisReduction& task,
                                                              const OutputPlace& place) {
  std::vector<std::shared_ptr<store::PlacedArrays>> placed(task.files.size());
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::size_t first = first_array(task, file);
    if (task.in_chunks(first)) continue;
    const std::string part = base::part_path(task.files[file]);
    if (!base::exists(part) || base::identity_of(part) != place.files[file]) return {};
    std::vector<store::WrittenArray> arrays = task.arrays;
    if (task.files.size() > 1) arrays = {task.arrays[first]};
    placed[file] = std::make_shared<store::PlacedArrays>(part, arrays, place.offsets[file]);
  }
  return placed;
}

/// Collective. Ranks of the gather rank's host open its files too: one sync is enough for what all
/// of them write.
void share_output(comm::World& world, AxisReduction& task, const AxisOutput& output) {
  if (task.arrays.empty()) return;
  OutputPlace place;
  if (world.is_root()) {
    place.host = world.host();
    for (std::size_t file = 0; file < task.files.size(); ++file) {
      place.files.push_back(output.files().writer(file).identity());
      place.offsets.push_back(output.files().writer(file).layout().offsets);
    }
  }
  place = comm::broadcast_value(world, place);
  if (world.host() != place.host) return;
  try {
    task.placed = open_placed(task, place);
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): the rank sends its results
  }
}

report::ReduceReport make_arrays(run::Context& context, const job::ReduceJob& given,
                                 std::optional<ReduceCheckpoints>& checkpoints,
                                 const ArrayCommand& command, report::LiveRun* live) {
  const base::RunScope scope(context.run);
  comm::World& world = context.world;
  Session session(world, given, checkpoints, live);
  AxisReduction task;
  std::optional<FinishedOutput> finished;
  session.phases.enter(report::Phase::open_file, "opens the input");
  comm::agree(world, [&] { finished = prepare(session, command, task); });
  const auto is_finished = [&] {
    return comm::all_reduce(world, finished.has_value(), std::logical_or<>());
  };
  if (is_finished()) return report_finished(session, task, finished);
  session.open_devices([&](const device::Device& device) { command.check(task, device); });
  session.phases.enter(report::Phase::open_file, "opens " + base::join(task.files));
  std::unique_ptr<ItemWork> work;
  comm::agree(world, [&] { work = command.open(task, *session.devices); });
  plan_items(task, farm::total_lanes(world, work->lanes()), session.resumed);
  AxisOutput output;
  comm::agree(world, [&] {
    if (!checkpoints) return;
    finished = open_or_look_again(task, *checkpoints, output);
    if (!finished) session.announce();
  });
  if (is_finished()) return report_finished(session, task, finished);
  share_output(world, task, output);
  Pass pass = run_items(session, *work, task, output);
  if (!world.is_root()) return {};
  return report_of(session, std::move(pass), task, output.sink()->specials(), output.sink());
}

}  // namespace

report::ReduceReport reduce_axes(run::Context& context, const job::ReduceJob& given,
                                 std::optional<ReduceCheckpoints>& checkpoints,
                                 report::LiveRun* live) {
  constexpr ArrayCommand kReduce = {
      .describe = &describe_task,
      .open = [](const AxisReduction& task, binding::RankDevices& devices)
          -> std::unique_ptr<ItemWork> { return std::make_unique<AxisWork>(task, devices); },
      .check =
          [](const AxisReduction& task, const device::Device& device) {
            device::open_axis_reducer(device, task.output_spec);
          }};
  return make_arrays(context, given, checkpoints, kReduce, live);
}

report::ReduceReport map_arrays(run::Context& context, const job::ReduceJob& given,
                                std::optional<ReduceCheckpoints>& checkpoints) {
  constexpr ArrayCommand kMap = {
      .describe = &describe_map,
      .open = [](const AxisReduction& task, binding::RankDevices& devices)
          -> std::unique_ptr<ItemWork> { return std::make_unique<MapWork>(task, devices); },
      .check = [](const AxisReduction&, const device::Device& device) { device.open_mapper(); }};
  return make_arrays(context, given, checkpoints, kMap, nullptr);
}

}  // namespace tessera::reduce
