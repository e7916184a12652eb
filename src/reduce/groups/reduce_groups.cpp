#include "reduce/groups/reduce_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/stop_request.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "device/power_reducers.hpp"
#include "reduce/done_note.hpp"
#include "reduce/groups/group_rows.hpp"
#include "reduce/groups/group_sample.hpp"
#include "reduce/groups/group_sink.hpp"
#include "reduce/groups/group_table.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/session.hpp"
#include "reduce/slice_sink.hpp"
#include "reduce/slice_work.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_passes.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// Whether a later run can tell that the table is the one it would make.
bool can_be_noted(const job::ReduceJob& job) {
  return !job.output.empty() && !base::exists(job.bins);
}

/// On the gather rank, before any work. Returns the note of a finished table of this job, if there
/// is one.
std::optional<FinishedOutput> check_files(const job::ReduceJob& job,
                                          const ReduceCheckpoints& checkpoints) {
  std::optional<FinishedOutput> finished;
  check_reduce_files(job);
  if (job.output.empty()) return finished;
  if (can_be_noted(job) && !job.overwrite) {
    finished = find_finished(job.output, checkpoints.identity());
  }
  store::check_output(job.output, "--output", finished || checkpoints.may_replace());
  if (!job.overwrite) check_note(job.output);
  if (finished) return finished;
  base::check_left_over(base::part_path(job.output), checkpoints.left_over());
  return finished;
}

/// With --groups, the number of rows is known before any work.
void check_space(const GroupTask& task, const ReduceCheckpoints& checkpoints) {
  const job::ReduceJob& job = *task.job;
  if (job.output.empty() || job.groups == 0 || checkpoints.found()) return;
  const double needed = store::min_table_bytes(job.output, table_columns(task), job.groups);
  const std::string folder = base::existing_folder_of(base::target_of(job.output));
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || static_cast<double>(space.available) >= needed) return;
  const auto [free, least] =
      base::format_different_bytes(static_cast<double>(space.available), needed);
  throw base::usage_error("--groups {}: a row for each needs {} at the very least, {} free in {}",
                          job.groups, least, free, folder);
}

/// Tallies of a large group beside those of the lanes: in a message, on the gather rank, in a
/// checkpoint.
constexpr std::uint64_t kTallyCopies = 3;

/// The number of the passes before the first one over the groups; no run resumes them.
constexpr std::int64_t kRangePass = -1;

/// With little memory, the groups of a piece must not be many.
std::int64_t group_piece_bytes(const job::ReduceJob& job) {
  constexpr std::uint64_t kPiecesInMemory = 2048;
  return std::clamp(static_cast<std::int64_t>(job.memory_bytes / kPiecesInMemory), std::int64_t{1},
                    piece_bytes(job));
}

/// Collective. A pass over the keys of a column, which finds their range.
KeyRange find_range(Session& session, const KeyColumn& column, std::uint64_t least_bytes) {
  const base::ElementType type = column.source->info().type;
  const SliceSpec slice_spec{.spec = {.type = type, .extremes = true},
                             .request = {.partial = true}};
  job::ReduceJob job = session.job;
  job.memory_bytes = std::max(job.memory_bytes, least_bytes);
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
  explicit GroupRun(Session& session) : session_(session) {}

  /// Returns whether the table is complete already.
  bool open() {
    session_.phases.enter(report::Phase::open_file, "opens the input and its keys");
    comm::agree(session_.world, [&] {
      if (session_.checkpoints != nullptr) {
        finished_ = check_files(session_.job, *session_.checkpoints);
        if (!finished_) find_stored();
      }
    });
    session_.resumed = comm::broadcast_value(session_.world, session_.resumed);
    comm::agree(session_.world, [&] {
      // Items are numbers of pieces.
      piece_bytes_ = resumes() ? session_.resumed.tiles_each : group_piece_bytes(session_.job);
      session_.open_arrays(piece_bytes_);
      keys_.emplace(session_.job, session_.source, piece_bytes_);
      const store::ArrayInfo& array = session_.source->info();
      job::count_elements(array.shape, array.name);
      const statistics::OrderPasses checked(session_.job, array.type, 0, 0);
      task_ = {.source = session_.source.get(),
               .job = &session_.job,
               .keys = &*keys_,
               .group_spec = {.spec = statistics::spec_of(array.type, session_.job)}};
      if (session_.checkpoints != nullptr && !finished_) {
        check_space(task_, *session_.checkpoints);
      }
    });
    if (comm::broadcast_value(session_.world, finished_.has_value())) return true;
    session_.open_devices([&](const device::Device& device) {
      device::open_group_reducer(device, task_.group_spec);
    });
    return false;
  }

  /// Instead of the other members, if the table is complete already.
  report::ReduceReport leave() {
    Pass nothing = session_.leave_complete();
    if (!finished_) return {};
    report::ReduceReport run = session_.report(std::move(nothing), finished_->specials, nullptr);
    run.groups = describe_table(table_columns(task_), finished_->items, session_.job.output);
    run.found_complete = true;
    return run;
  }

  /// Finds out what has to be known about the keys and the elements.
  void prepare() {
    find_ranges();
    GroupSample sample;
    comm::agree(session_.world, [&] {
      keys_->join();
      if (session_.checkpoints != nullptr) sample = sample_groups(*task_.source, *task_.keys);
    });
    sample = comm::broadcast_value(session_.world, sample);
    task_.likely = sample.keys;
    task_.group_spec.window = sample.window;
    task_.part_outside = sample.outside;
    comm::agree(session_.world, [&] { work_.emplace(task_, *session_.devices); });
    all_lanes_ = farm::total_lanes(session_.world, work_->lanes());
    comm::agree(session_.world, [&] {
      if (session_.checkpoints != nullptr) begin_table(work_->lanes());
    });
  }

  Pass run() {
    Pass all;
    std::int64_t number = resumes() ? session_.resumed.pass : 0;
    for (bool more = true; more; ++number) {
      Pass pass = run_pass(number);
      if (sink_) costs_ = costs_of(pass);
      all = reduce::add(std::move(all), pass);
      more = end_pass();
    }
    with_table([&] {
      check_range(*task_.source, left_out_.missing);
      table_->settle();
      note();
      table_->finish(session_.checkpoints->may_replace() ? base::Replace::what_is_there
                                                         : base::Replace::nothing);
    });
    return all;
  }

  /// On the gather rank.
  report::ReduceReport report(Pass pass) const {
    statistics::SpecialCounts specials = table_->progress().specials;
    specials.missing = left_out_.missing;
    report::ReduceReport run = session_.report(std::move(pass), specials, &*sink_);
    run.groups = table_->report();
    run.groups->left_out_nans = left_out_.nans;
    run.groups->left_out_outside = left_out_.outside;
    run.groups->left_out_missing = left_out_.missing_keys;
    run.groups->stored_bytes = sink_->state().stored.bytes;
    return run;
  }

 private:
  /// Looks for what an earlier run has stored beside its checkpoint. If that is not as it was
  /// written, this run starts from scratch.
  void find_stored() {
    ReduceCheckpoints& checkpoints = *session_.checkpoints;
    const std::string& output = session_.job.output;
    waiting_rows_.emplace(output.empty() ? "" : GroupTable::waiting_path(output), base::kRowsMark,
                          base::mode_for(output));
    std::string why;
    if (session_.resumed.pass == kRangePass) {
      why = "is of the search for the ranges of the keys";
    } else if (resumes()) {
      const auto state = base::from_bytes<GroupState>(checkpoints.found()->partial);
      const auto table = base::from_bytes<GroupTable::Progress>(state.table);
      const bool is_there =
          checkpoints.groups_file().go_on(state.stored) && waiting_rows_->go_on(table.waiting);
      if (!is_there) why = "the groups that it stored are gone or damaged";
    }
    if (!why.empty()) {
      checkpoints.discard(why);
      session_.resumed = {.slice_bytes = session_.resumed.slice_bytes};
    }
    checkpoints.groups_file().check(checkpoints.left_over());
    if (!output.empty()) waiting_rows_->check(checkpoints.left_over());
  }

  void note() const {
    const auto refers = [](const store::ArraySource& array) {
      return array.info().refers_elsewhere;
    };
    const bool unknown =
        refers(*task_.source) || std::ranges::any_of(keys_->columns(), [&](const KeyColumn& key) {
          return refers(*key.source);
        });
    if (!can_be_noted(session_.job) || unknown) return;
    statistics::SpecialCounts specials = table_->progress().specials;
    specials.missing = left_out_.missing;
    try_to_note(session_.job.command(), session_.job.output, base::part_path(session_.job.output),
                session_.checkpoints->identity(), {specials, table_->progress().rows});
  }

  /// Whether a pass over the groups follows.
  bool resumes() const { return session_.resumed.shares > 0 && session_.resumed.pass >= 0; }

  void find_ranges() {
    if (!keys_->needs_ranges()) return;
    std::vector<KeyRange> ranges;
    if (resumes() && session_.checkpoints != nullptr) {
      ranges = base::from_bytes<GroupState>(session_.checkpoints->found()->partial).ranges;
    }
    if (resumes()) ranges = comm::broadcast_value(session_.world, ranges);
    for (std::size_t k = 0; k < keys_->columns().size(); ++k) {
      const KeyColumn& column = keys_->columns()[k];
      if (column.is_known) continue;
      keys_->set_range(
          k, resumes() ? ranges.at(k) : find_range(session_, column, task_.least_bytes()));
    }
  }

  store::Attributes group_attributes() const {
    store::Attributes attributes = result_attributes(session_.job, "tessera-groups");
    attributes.push_back({"by", base::join(session_.job.by, ",")});
    return attributes;
  }

  /// Calls `work` on the gather rank. If it fails, nothing is kept, unless a later run may do
  /// better: after a stop request, or with more room on the disk.
  void with_table(const std::function<void()>& work) {
    comm::agree(session_.world, [&] {
      if (!sink_) return;
      ReduceCheckpoints& checkpoints = *session_.checkpoints;
      try {
        work();
      } catch (const base::Error& error) {
        const auto* const file = dynamic_cast<const base::FileError*>(&error);
        std::string kept;
        if (error.code() == base::ExitCode::stopped || (file != nullptr && file->no_room())) {
          checkpoints.begin([this] { return state(); });
          kept = checkpoints.end(error.code());
          if (checkpoints.kept()) table_->keep();
        } else {
          checkpoints.remove();
        }
        throw base::Error(error.code(), error.what() + kept);
      }
    });
  }

  store::ReduceCheckpoint state() const {
    return sink_->checkpoint(session_.checkpoints->blank(session_.job.slice_bytes));
  }

  void begin_table(int lanes) {
    sink_.emplace(task_.group_spec.spec, task_.room(lanes), piece_bytes_,
                  session_.checkpoints->groups_file());
    sink_->state().wanted = keys_->range();
    sink_->state().first = keys_->range().first;
    sink_->state().rest = {{0, task_.source->pieces().count()}};
    table_.emplace(task_, group_attributes(), lanes, *waiting_rows_,
                   session_.checkpoints->left_over());
    rows_.emplace(task_, *sink_, *table_, poll_);
    const auto& found = session_.checkpoints->found();
    if (!resumes()) return;
    sink_->go_on(*found);
    table_->go_on(base::from_bytes<GroupTable::Progress>(sink_->state().table));
    session_.announce();
    session_.checkpoints->release_found();
  }

  Pass run_pass(std::int64_t number) {
    statistics::GroupRequest request;
    GroupItems items;
    KeyRange wanted;
    if (sink_) {
      GroupState& state = sink_->state();
      state.ranges.clear();
      for (const KeyColumn& key : keys_->columns()) state.ranges.push_back(key.range);
      state.table = base::to_bytes(table_->progress());
      sink_->begin(number, next_items());
      items = state.items;
      wanted = state.wanted;
      request = state.order.request;
    }
    items = comm::broadcast_value(session_.world, items);
    wanted = comm::broadcast_value(session_.world, wanted);
    request = comm::broadcast_value(session_.world, request);
    work_->set_pass(items, wanted, std::move(request));
    try {
      return session_.run(*work_, sink_ ? &*sink_ : nullptr, limits_of(session_.job));
    } catch (...) {
      if (table_ && session_.checkpoints->kept()) table_->keep();
      throw;
    }
  }

  PassCosts costs_of(const Pass& pass) {
    double read_s = 0, elements = 0;
    for (const report::RankReport& rank : pass.ranks) read_s += rank.read_s;
    for (const auto& [rank, reduced] : sink_->reduced()) {
      elements += static_cast<double>(reduced.elements);
    }
    double& each = sink_->state().read_s;
    if (elements > 0) each = read_s / elements;
    std::error_code error;
    const auto space = std::filesystem::space(base::existing_folder_of(sink_->path()), error);
    return {.read_s = each,
            .lanes = all_lanes_,
            .disk_bytes = error ? 0 : static_cast<double>(space.available)};
  }

  /// Of the next pass.
  GroupItems next_items() const {
    const store::ArraySource& source = *task_.source;
    const GroupState& state = sink_->state();
    const int lanes = work_->lanes();
    GroupItems items{.ranges = state.rest,
                     .pieces_each = counted_pieces(source, session_.job, all_lanes_)};
    const auto limit_to = [&](std::int64_t elements) {
      items.pieces_each = pieces_of(source, elements, items.pieces_each);
    };
    const statistics::GroupRequest& request = state.order.request;
    if (request.any()) {
      items.ranges = {{0, source.pieces().count()}};
    } else if (!state.left.empty()) {  // by items with more groups than a lane has room for
      items.ranges = state.left;
      limit_to(static_cast<std::int64_t>(sink_->room().pass.groups));
    }
    if (request.collects()) {
      limit_to(static_cast<std::int64_t>(task_.most_members(lanes)) / (4 * lanes));
      if (request.large.empty()) limit_to(kMessageMembers);
    }
    std::ranges::sort(items.ranges, {}, &PieceRange::first);
    return items;
  }

  /// Makes rows of the groups about which the passes know everything. Returns whether there is
  /// another pass.
  bool end_pass() {
    bool more = false;
    session_.phases.enter(report::Phase::close_file, "merges groups");
    with_table([&] {
      check_keys();
      left_out_ = sink_->state().left_out;
      more = sink_->state().order.request.any() ? end_search() : end_counting();
    });
    session_.phases.enter(report::Phase::plan);
    return comm::broadcast_value(session_.world, more);
  }

  bool end_counting() {
    const GroupState& state = sink_->state();
    if (!state.left.empty()) {
      if (!state.is_decided) sink_->plan_next(costs_);
      return true;
    }
    if (sink_->next_keys()) return true;
    save_stored();
    sink_->settle_groups(poll_);
    save_stored();
    if (!statistics::OrderPasses::wanted(session_.job)) {
      rows_->add(keys_->range().last);
      return false;
    }
    rows_->find_large();
    return ask();
  }

  /// Asks for order statistics of the groups that are not in the table. Returns false if they are
  /// found in no pass; they are in the table then.
  bool ask() {
    GroupState& state = sink_->state();
    const int lanes = work_->lanes();
    state.stored_members.clear();
    state.order.ask(session_.job, task_.group_spec, state.first, keys_->range().last,
                    task_.search_bytes(lanes), static_cast<std::uint64_t>(lanes) + kTallyCopies,
                    task_.most_members(lanes));
    if (state.order.request.any()) return true;
    rows_->add(state.order.last);
    return false;
  }

  bool end_search() {
    statistics::GroupOrder& order = sink_->state().order;
    if (!order.is_found && order.ask_again(session_.job, task_.group_spec)) return true;
    save_stored();
    sink_->settle_members(poll_);
    save_stored();
    rows_->add(order.last);
    return order.last < keys_->range().last && ask();
  }

  /// What is stored can be merged and made rows of in a later run, too.
  void save_stored() {
    const GroupState& now = sink_->state();
    if (now.stored_groups.empty() && now.stored_members.empty()) return;
    session_.checkpoints->save(state());
  }

  void poll() const {
    if (!base::stop_requested()) return;
    throw base::Error(base::ExitCode::stopped,
                      fmt::format("{}: stopped by {} while it merged groups",
                                  session_.job.command(), base::stop_reason()));
  }

  /// Throws a usage error if a key is not one of --groups.
  void check_keys() const {
    const std::int64_t place = sink_->state().bad_place;
    if (place == GroupResult::kNoPlace) return;
    const KeyColumn& column = keys_->columns().front();
    const job::Shape& shape = task_.source->info().shape;
    plan::Box box{job::Shape(shape.size()), job::Shape(shape.size(), 1)};
    std::int64_t rest = place;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) box.origin[d] = rest % shape[d];
    base::Bytes key(base::element_bytes(column.source->info().type));
    column.source->read_box(box, key);
    throw base::usage_error("--groups {}: {} has the key {} at [{}]; keys are 0 to {}",
                            session_.job.groups, column.source->info().name,
                            format_element(key, column.source->info().type),
                            fmt::join(box.origin, ", "), session_.job.groups - 1);
  }

  Session& session_;
  GroupTask task_;
  std::optional<GroupKeys> keys_;
  std::optional<GroupWork> work_;
  int all_lanes_ = 1;  ///< of all ranks
  std::int64_t piece_bytes_ = 0;
  // On the gather rank.
  PassCosts costs_;  ///< of the last pass
  std::optional<GroupSink> sink_;
  std::optional<RunFile> waiting_rows_;
  std::optional<GroupTable> table_;
  std::optional<GroupRows> rows_;
  std::optional<FinishedOutput> finished_;
  LeftOut left_out_;
  std::function<void()> poll_ = [this] { poll(); };
};

}  // namespace

report::ReduceReport reduce_groups(comm::World& world, const job::ReduceJob& given,
                                   std::optional<ReduceCheckpoints>& checkpoints,
                                   report::LiveRun* live) {
  Session session(world, given, checkpoints, live);
  GroupRun run(session);
  if (run.open()) return run.leave();
  run.prepare();
  Pass pass = run.run();
  if (!world.is_root()) return {};
  return run.report(std::move(pass));
}

}  // namespace tessera::reduce
