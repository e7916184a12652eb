#include "reduce/groups/reduce_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "reduce/done_note.hpp"
#include "reduce/groups/group_sample.hpp"
#include "reduce/groups/group_sink.hpp"
#include "reduce/groups/group_table.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/session.hpp"
#include "reduce/slice_sink.hpp"
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
  return finished;
}

/// Tallies of a large group beside those of the lanes: in a message, on the gather rank, in a
/// checkpoint.
constexpr std::uint64_t kTallyCopies = 3;

/// The number of the passes before the first one over the groups; no run resumes them.
constexpr std::int64_t kRangePass = -1;

/// Collective. A pass over the keys of a column, which finds their range.
KeyRange find_range(Session& session, const KeyColumn& column) {
  const base::ElementType type = column.source->info().type;
  const SliceSpec slice_spec{.spec = {.type = type, .extremes = true},
                             .request = {.partial = true}};
  std::optional<SliceWork> work;
  std::optional<SliceSink> sink;
  comm::agree(session.world, [&] {
    work.emplace(*column.source, slice_spec, session.job, *session.devices);
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
        if (session_.resumed.pass == kRangePass) {
          session_.checkpoints->discard("is of the search for the ranges of the keys");
        }
      }
      session_.open_arrays(piece_bytes(session_.job));
      keys_.emplace(session_.job, session_.source);
      const store::ArrayInfo& array = session_.source->info();
      job::count_elements(array.shape, array.name);
      const statistics::OrderPasses checked(session_.job, array.type, 0, 0);
      task_ = {.source = session_.source.get(),
               .job = &session_.job,
               .keys = &*keys_,
               .group_spec = {.spec = statistics::spec_of(array.type, session_.job)}};
    });
    if (comm::broadcast_value(session_.world, finished_.has_value())) return true;
    session_.open_devices(
        [&](const device::Device& device) { device.open_group_reducer(task_.group_spec); });
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
    const std::int64_t elements = plan::element_count(task_.source->info().shape);
    task_.group_spec.window =
        statistics::SumWindow::below(sample.largest_field, std::max<std::int64_t>(1, elements));
    comm::agree(session_.world, [&] { work_.emplace(task_, *session_.devices); });
    const int lanes = farm::total_lanes(session_.world, work_->lanes());
    grid_ = group_items(*task_.source, session_.job, lanes);
    comm::agree(session_.world, [&] {
      if (session_.checkpoints != nullptr) begin_table(work_->lanes());
    });
  }

  Pass run() {
    Pass all;
    std::int64_t number = resumes() ? session_.resumed.pass : 0;
    for (bool more = true; more; ++number) {
      all = reduce::add(std::move(all), run_pass(number));
      more = end_pass();
    }
    with_table([&] {
      table_->settle();
      note();
      table_->finish(session_.checkpoints->may_replace() ? base::Replace::what_is_there
                                                         : base::Replace::nothing);
    });
    return all;
  }

  /// On the gather rank.
  report::ReduceReport report(Pass pass) const {
    report::ReduceReport run =
        session_.report(std::move(pass), table_->progress().specials, &*sink_);
    run.groups = table_->report();
    run.groups->left_out_nans = left_out_.nans;
    run.groups->left_out_outside = left_out_.outside;
    return run;
  }

 private:
  void note() const {
    const auto refers = [](const store::ArraySource& array) {
      return array.info().refers_elsewhere;
    };
    const bool unknown =
        refers(*task_.source) || std::ranges::any_of(keys_->columns(), [&](const KeyColumn& key) {
          return refers(*key.source);
        });
    if (!can_be_noted(session_.job) || unknown) return;
    try_to_note(session_.job.command(), session_.job.output, session_.checkpoints->identity(),
                {table_->progress().specials, table_->progress().rows});
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
      keys_->set_range(k, resumes() ? ranges.at(k) : find_range(session_, column));
    }
  }

  store::Attributes group_attributes() const {
    store::Attributes attributes = result_attributes(session_.job, "tessera-groups");
    attributes.push_back({"by", base::join(session_.job.by, ",")});
    return attributes;
  }

  /// Calls `work` on the gather rank. If it fails, nothing is kept.
  void with_table(const std::function<void()>& work) {
    comm::agree(session_.world, [&] {
      if (!sink_) return;
      try {
        work();
      } catch (const base::Error&) {
        session_.checkpoints->remove();
        throw;
      }
    });
  }

  void begin_table(int lanes) {
    sink_.emplace(task_.group_spec.spec, task_.most_groups(lanes));
    table_.emplace(task_, group_attributes(), lanes);
    const auto& found = session_.checkpoints->found();
    if (!resumes()) return;
    sink_->go_on(*found);
    if (table_->go_on(base::from_bytes<GroupTable::Progress>(sink_->state().table))) {
      session_.announce();
      return;
    }
    throw base::run_error(
        "{}: the rows of earlier passes are gone; --overwrite restarts from scratch",
        session_.checkpoints->path());
  }

  Pass run_pass(std::int64_t number) {
    statistics::GroupRequest request;
    if (sink_) request = sink_->state().order.request;
    request = comm::broadcast_value(session_.world, request);
    SliceGrid grid = grid_;
    if (request.any() && request.large.empty()) grid = collecting_items(*task_.source, grid_);
    if (resumes() && number == session_.resumed.pass) {
      grid.pieces_per_slice = session_.resumed.shares;
    }
    work_->set_items(grid);
    statistics::GroupKey first = keys_->range().first;
    if (sink_) {
      if (sink_->state().table.empty()) sink_->state().first = first;
      sink_->state().ranges.clear();
      for (const KeyColumn& key : keys_->columns()) sink_->state().ranges.push_back(key.range);
      sink_->state().table = base::to_bytes(table_->progress());
      sink_->begin(number, grid);
      first = sink_->state().first;
    }
    first = comm::broadcast_value(session_.world, first);
    work_->set_pass(first, std::move(request));
    try {
      return session_.run(*work_, sink_ ? &*sink_ : nullptr, limits_of(session_.job));
    } catch (...) {
      if (table_ && session_.checkpoints->kept()) table_->keep();
      throw;
    }
  }

  /// Makes rows of the groups of the pass. Returns whether there are other groups.
  bool end_pass() {
    bool more = false;
    with_table([&] {
      check_keys();
      left_out_ = sink_->state().left_out;
      more = end_counting() || ask_order();
    });
    return comm::broadcast_value(session_.world, more);
  }

  /// After a pass that has not counted, returns false. Returns whether the next pass counts too.
  bool end_counting() {
    GroupState& state = sink_->state();
    if (state.order.request.any()) return false;
    statistics::GroupPartials all = sink_->take();
    all.last = std::min(all.last, keys_->range().last);
    if (!statistics::OrderPasses::wanted(session_.job)) return add_rows(all, all.last);
    state.order = {};
    state.order.all = std::move(all);
    return false;
  }

  /// Adds the groups up to `last`. Returns whether there may be others.
  bool add_rows(const statistics::GroupPartials& all, statistics::GroupKey last) {
    GroupState& state = sink_->state();
    const bool more = last < keys_->range().last;
    table_->add(all, {state.first, last}, !more, state.order);
    if (more) state.first = last + 1;
    return more;
  }

  /// Continues the order statistics of the groups that are counted. Returns whether any pass is
  /// left to do.
  bool ask_order() {
    statistics::GroupOrder& order = sink_->state().order;
    if (!statistics::OrderPasses::wanted(session_.job)) return false;
    if (order.request.any()) {
      if (order.ask_again(session_.job, task_.group_spec)) return true;
      order.sort();
    }
    while (true) {
      const bool is_last = order.end == order.all.size();
      const bool more = order.end > 0 || is_last ? add_searched(is_last) : true;
      if (is_last) {
        order = {};
        return more;
      }
      const int lanes = work_->lanes();
      order.ask(session_.job, task_.group_spec, task_.order_bytes(lanes),
                static_cast<std::uint64_t>(lanes) + kTallyCopies);
      if (order.request.any()) return true;
    }
  }

  /// Adds the groups that were searched; if they are the last ones, also what is behind them.
  bool add_searched(bool is_last) {
    const statistics::GroupOrder& order = sink_->state().order;
    std::vector<std::uint32_t> numbers(order.end - order.from);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(order.from));
    const statistics::GroupPartials some = order.all.pick(numbers);
    return add_rows(some, is_last ? order.all.last : some.keys.back());
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
  SliceGrid grid_;
  // On the gather rank.
  std::optional<GroupSink> sink_;
  std::optional<GroupTable> table_;
  std::optional<FinishedOutput> finished_;
  LeftOut left_out_;
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
