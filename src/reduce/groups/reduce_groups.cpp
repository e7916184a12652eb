#include "reduce/groups/reduce_groups.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "device/powers/power_reducers.hpp"
#include "reduce/groups/group_files.hpp"
#include "reduce/groups/group_gathering.hpp"
#include "reduce/groups/group_sample.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/session.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

/// With little memory, the groups of a piece must not be many.
std::int64_t group_piece_bytes(const job::ReduceJob& job) {
  constexpr std::uint64_t kPiecesInMemory = 2048;
  return std::clamp(static_cast<std::int64_t>(job.memory_bytes / kPiecesInMemory), std::int64_t{1},
                    piece_bytes(job));
}

/// Collective. A pass over the keys of a column, which finds their range.
KeyRange find_range(Session& session, job::ReduceJob job, const KeyColumn& column,
                    std::uint64_t min_bytes) {
  const base::ElementType type = column.source->info().type;
  const SliceSpec slice_spec{.spec = {.type = type, .extremes = true},
                             .request = {.partial = true}};
  job.memory_bytes = std::max(job.memory_bytes, min_bytes);
  std::optional<SliceWork> work;
  std::optional<SliceSink> sink;
  comm::agree(session.world, [&] {
    work.emplace(*column.source, slice_spec, job, *session.devices);
    if (session.checkpoints == nullptr) return;
    sink.emplace(nullptr);
    sink->begin(kRangePass, slice_spec.request, work->items());
  });
  session.run(*work, sink ? &*sink : nullptr, farm::kSmallResults);
  KeyRange range;
  if (sink) range = {sink->all().partial.least, sink->all().partial.greatest};
  if (range.first > range.last) range = {0, 0};  // of no elements
  return comm::broadcast_value(session.world, range);
}

/// A reduction of groups in progress. All members are collective.
class GroupRun {
 public:
  GroupRun(Session& session, const job::ReduceJob& job, TableSink* sink)
      : session_(session), job_(job), table_sink_(sink) {}

  /// Returns whether the table is complete already.
  bool open() {
    session_.phases.enter(report::Phase::open_file, "opens the input and its keys");
    comm::agree(session_.world, [&] {
      if (session_.checkpoints != nullptr) files_.emplace(session_, job_);
    });
    session_.resumed = comm::broadcast_value(session_.world, session_.resumed);
    comm::agree(session_.world, [&] {
      // Items are numbers of pieces.
      piece_bytes_ =
          resumes_groups(session_) ? session_.resumed.tiles_each : group_piece_bytes(job_);
      open_arrays(session_, job_, piece_bytes_);
      keys_.emplace(job_, session_.source, piece_bytes_);
      const store::ArrayInfo& array = session_.source->info();
      job::count_elements(array.shape, array.name);
      const statistics::OrderPasses checked(job_, array.type, 0, 0);
      task_ = {.source = session_.source.get(),
               .job = &job_,
               .keys = &*keys_,
               .group_spec = {.spec = statistics::spec_of(array.type, job_)}};
      if (files_) files_->check_space(task_);
    });
    const bool finished = files_ && files_->finished();
    if (comm::broadcast_value(session_.world, finished)) return true;
    session_.open_devices([&](const device::Device& device) {
      device::open_group_reducer(device, task_.group_spec);
    });
    return false;
  }

  /// Instead of the other members, if the table is complete already.
  report::ReduceReport leave() {
    Pass nothing = session_.leave_complete();
    if (!files_) return {};
    const FinishedOutput& table = *files_->finished();
    report::ReduceReport run = session_.report(std::move(nothing), table.specials, nullptr);
    run.groups = describe_table(table_columns(task_), table.items, job_.output);
    run.found_complete = true;
    return run;
  }

  /// Finds out what has to be known about the keys and the elements.
  void prepare() {
    find_ranges();
    GroupSample sample;
    comm::agree(session_.world, [&] {
      keys_->join();
      if (files_) sample = sample_groups(*task_.source, *task_.keys);
    });
    sample = comm::broadcast_value(session_.world, sample);
    task_.likely = sample.keys;
    task_.group_spec.window = sample.window;
    task_.part_outside = sample.outside;
    comm::agree(session_.world, [&] { work_.emplace(task_, *session_.devices); });
    const int lanes = work_->lanes();
    const int all_lanes = farm::total_lanes(session_.world, lanes);
    comm::agree(session_.world, [&] {
      if (files_)
        gathering_.emplace(task_, session_, *files_, piece_bytes_, lanes, all_lanes, table_sink_);
    });
  }

  Pass run() {
    Pass all;
    std::int64_t number = resumes_groups(session_) ? session_.resumed.pass : 0;
    for (bool more = true; more; ++number) {
      const Pass pass = run_pass(number);
      all = reduce::add(std::move(all), pass);
      session_.phases.enter(report::Phase::close_file, "merges groups");
      more = gathered([&] { return gathering_->end_pass(pass); });
      session_.phases.enter(report::Phase::plan);
    }
    gathered([&] {
      gathering_->finish();
      return true;
    });
    return all;
  }

  /// On the gather rank.
  report::ReduceReport report(Pass pass) const { return gathering_->report(std::move(pass)); }

 private:
  /// What `work` returns on the gather rank.
  bool gathered(const std::function<bool()>& work) {
    bool result = false;
    comm::agree(session_.world, [&] {
      if (gathering_) result = work();
    });
    return comm::broadcast_value(session_.world, result);
  }

  void find_ranges() {
    if (!keys_->needs_ranges()) return;
    const bool resumes = resumes_groups(session_);
    std::vector<KeyRange> ranges;
    if (resumes && files_) {
      ranges = base::from_bytes<GroupState>(session_.checkpoints->found()->partial).ranges;
    }
    if (resumes) ranges = comm::broadcast_value(session_.world, ranges);
    for (std::size_t k = 0; k < keys_->columns().size(); ++k) {
      const KeyColumn& column = keys_->columns()[k];
      if (column.is_known) continue;
      keys_->set_range(
          k, resumes ? ranges.at(k) : find_range(session_, job_, column, task_.min_bytes()));
    }
  }

  Pass run_pass(std::int64_t number) {
    statistics::GroupRequest request;
    GroupItems items;
    KeyRange requested;
    if (gathering_) {
      gathering_->begin_pass(number);
      items = gathering_->sink().state().items;
      requested = gathering_->requested();
      request = gathering_->request();
    }
    items = comm::broadcast_value(session_.world, items);
    requested = comm::broadcast_value(session_.world, requested);
    request = comm::broadcast_value(session_.world, request);
    work_->set_pass(items, requested, std::move(request));
    try {
      GroupSink* const sink = gathering_ ? &gathering_->sink() : nullptr;
      return session_.run(*work_, sink, limits_of(job_));
    } catch (...) {
      if (gathering_) gathering_->keep();
      throw;
    }
  }

  Session& session_;
  const job::ReduceJob& job_;
  TableSink* table_sink_;
  GroupTask task_;
  std::optional<GroupKeys> keys_;
  std::optional<GroupWork> work_;
  std::int64_t piece_bytes_ = 0;
  // On the gather rank.
  std::optional<GroupFiles> files_;
  std::optional<GroupGathering> gathering_;
};

}  // namespace

report::ReduceReport reduce_groups(Session& session, const job::ReduceJob& job, TableSink* sink) {
  GroupRun run(session, job, sink);
  if (run.open()) return run.leave();
  run.prepare();
  Pass pass = run.run();
  if (!session.world.is_root()) return {};
  return run.report(std::move(pass));
}

}  // namespace tessera::reduce
