#include "reduce/groups/group_gathering.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "reduce/reduce_files.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

/// Tallies of a large group beside those of the lanes: in a message, on the gather rank, in a
/// checkpoint.
constexpr std::uint64_t kTallyCopies = 3;

store::Attributes group_attributes(const job::ReduceJob& job) {
  store::Attributes attributes = result_attributes(job, "tessera-groups");
  attributes.push_back({"by", job::keys_text(job)});
  return attributes;
}

}  // namespace

GroupGathering::GroupGathering(const GroupTask& task, Session& session, GroupFiles& files,
                               std::int64_t piece_bytes, int lanes, int all_lanes, TableSink* sink)
    : task_(task),
      session_(session),
      files_(files),
      lanes_(lanes),
      all_lanes_(all_lanes),
      sink_(task.group_spec.spec, task.room(lanes), piece_bytes,
            session.checkpoints->groups_file()),
      table_(task, group_attributes(*task.job), lanes, files.waiting_rows(),
             session.checkpoints->left_over(), sink),
      rows_(task, sink_, table_, poll_) {
  GroupState& state = sink_.state();
  state.first = task.keys->range().first;
  state.phase =
      Counting{.requested = task.keys->range(), .rest = {{0, task.source->pieces().count()}}};
  for (const KeyColumn& key : task.keys->columns()) state.ranges.push_back(key.range);
  if (!resumes_groups(session_)) return;
  sink_.resume(*session_.checkpoints->found());
  table_.resume(base::from_bytes<GroupTable::Progress>(state.table));
  session_.announce();
  session_.checkpoints->release_found();
}

void GroupGathering::begin_pass(std::int64_t number) {
  table_.sync();
  sink_.state().table = base::to_bytes(table_.progress());
  sink_.begin(number, next_items());
}

KeyRange GroupGathering::requested() const {
  const Counting* const counting = sink_.state().counting();
  return counting == nullptr ? KeyRange() : counting->requested;
}

statistics::GroupRequest GroupGathering::request() const {
  const Searching* const searching = sink_.state().searching();
  return searching == nullptr ? statistics::GroupRequest() : searching->order.request;
}

GroupItems GroupGathering::next_items() const {
  const store::ArraySource& source = *task_.source;
  GroupItems items{.ranges = {{0, source.pieces().count()}},
                   .pieces_each = counted_pieces(source, *task_.job, all_lanes_)};
  const auto limit_to = [&](std::int64_t elements) {
    items.pieces_each = pieces_of(source, elements, items.pieces_each);
  };
  const Counting* const counting = sink_.state().counting();
  if (counting != nullptr) items.ranges = counting->rest;
  if (counting != nullptr && !counting->left.empty()) {
    items.ranges = counting->left;  // by items with more groups than a lane has room for
    limit_to(static_cast<std::int64_t>(sink_.room().pass.groups));
  }
  const statistics::GroupRequest request = this->request();
  if (request.collects()) {
    limit_to(static_cast<std::int64_t>(task_.max_members(lanes_)) / (4 * lanes_));
    if (request.large.empty()) limit_to(kMessageMembers);
  }
  std::ranges::sort(items.ranges, {}, &PieceRange::first);
  return items;
}

bool GroupGathering::end_pass(const Pass& pass) {
  bool more = false;
  keep_if_useful([&] {
    GroupState& state = sink_.state();
    Searching* const searching = state.searching();
    more = searching != nullptr ? end_search(*searching) : end_counting(*state.counting(), pass);
  });
  return more;
}

PassCosts GroupGathering::costs_of(const Pass& pass, Counting& counting) const {
  double read_s = 0, elements = 0;
  for (const report::RankReport& rank : pass.ranks) read_s += rank.read_s;
  for (const auto& [rank, reduced] : sink_.reduced()) {
    elements += static_cast<double>(reduced.elements);
  }
  double& each = counting.choice.read_s;
  if (elements > 0) each = read_s / elements;
  std::error_code error;
  const auto space = std::filesystem::space(base::existing_folder_of(sink_.path()), error);
  return {.read_s = each,
          .lanes = all_lanes_,
          .disk_bytes = error ? 0 : static_cast<double>(space.available)};
}

bool GroupGathering::end_counting(Counting& counting, const Pass& pass) {
  check_keys(counting);
  const PassCosts costs = costs_of(pass, counting);
  if (!counting.left.empty()) {
    if (!counting.choice.is_made) sink_.plan_next(counting, costs);
    return true;
  }
  if (sink_.next_keys(counting)) return true;
  save_stored();
  sink_.settle_groups(poll_);
  save_stored();
  if (statistics::OrderPasses::requested(*task_.job)) {
    rows_.find_large();
    return ask(*sink_.state().searching());
  }
  rows_.add(task_.keys->range().last);
  sink_.state().phase = Writing();
  return false;
}

bool GroupGathering::ask(Searching& searching) {
  statistics::GroupOrder& order = searching.order;
  searching.stored_members.clear();
  order.ask(*task_.job, task_.group_spec, sink_.state().first, task_.keys->range().last,
            task_.search_bytes(lanes_), static_cast<std::uint64_t>(lanes_) + kTallyCopies,
            task_.max_members(lanes_));
  if (order.request.any()) return true;
  rows_.add(order.last);
  return false;
}

bool GroupGathering::end_search(Searching& searching) {
  statistics::GroupOrder& order = searching.order;
  if (!order.is_found && order.plan_next_pass(*task_.job, task_.group_spec)) return true;
  save_stored();
  sink_.settle_members(searching, poll_);
  save_stored();
  rows_.add(order.last);
  return order.last < task_.keys->range().last && ask(searching);
}

void GroupGathering::save_stored() {
  const GroupState& now = sink_.state();
  const Searching* const searching = now.searching();
  const bool has_members = searching != nullptr && !searching->stored_members.empty();
  if (!now.stored_groups.empty() || has_members) session_.checkpoints->save(state());
}

void GroupGathering::finish() {
  keep_if_useful([&] {
    check_range(*task_.source, sink_.state().left_out.missing);
    table_.settle();
    files_.note(task_, {specials(), table_.progress().rows});
    table_.finish(session_.checkpoints->may_replace() ? base::Replace::what_is_there
                                                      : base::Replace::nothing);
  });
}

void GroupGathering::keep_if_useful(const std::function<void()>& work) {
  ReduceCheckpoints& checkpoints = *session_.checkpoints;
  try {
    work();
  } catch (const base::Error& error) {
    const auto* const file = dynamic_cast<const base::FileError*>(&error);
    std::string kept;
    if (error.code() == base::ExitCode::stopped || (file != nullptr && file->no_room())) {
      checkpoints.begin([this] { return state(); });
      kept = checkpoints.end(error.code());
      keep();
    } else {
      checkpoints.remove();
    }
    throw base::Error(error.code(), error.what() + kept);
  }
}

void GroupGathering::keep() {
  if (session_.checkpoints->kept()) table_.keep();
}

void GroupGathering::poll() const {
  if (!base::stop_requested()) return;
  throw base::Error(base::ExitCode::stopped,
                    fmt::format("{}: stopped by {} while it merged groups", session_.facts.command,
                                base::this_run().stop.reason()));
}

void GroupGathering::check_keys(const Counting& counting) const {
  if (counting.bad_place == GroupResult::kNoPlace) return;
  const KeyColumn& column = task_.keys->columns().front();
  const job::Shape& shape = task_.source->info().shape;
  const plan::Box box{plan::coordinates_of(counting.bad_place, shape), job::Shape(shape.size(), 1)};
  base::Bytes key(base::element_bytes(column.source->info().type));
  column.source->read_box(box, key);
  throw base::usage_error("--groups {}: {} has the key {} at [{}]; keys are 0 to {}",
                          task_.job->groups, column.source->info().name,
                          format_element(key, column.source->info().type),
                          fmt::join(box.origin, ", "), task_.job->groups - 1);
}

statistics::SpecialCounts GroupGathering::specials() const {
  statistics::SpecialCounts specials = table_.progress().specials;
  specials.missing = sink_.state().left_out.missing;
  return specials;
}

report::ReduceReport GroupGathering::report(Pass pass) const {
  report::ReduceReport run = session_.report(std::move(pass), specials(), &sink_);
  const LeftOut& left_out = sink_.state().left_out;
  run.groups = table_.report();
  run.groups->left_out_nans = left_out.nans;
  run.groups->left_out_outside = left_out.outside;
  run.groups->left_out_missing = left_out.missing_keys;
  run.groups->stored_bytes = sink_.state().stored.bytes;
  return run;
}

}  // namespace tessera::reduce
