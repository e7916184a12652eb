#include "reduce/groups/group_sink.hpp"

#include <utility>

#include "base/fault.hpp"

namespace tessera::reduce {

void GroupSink::resume(const store::ReduceCheckpoint& found) {
  state_ = base::from_bytes<GroupState>(found.partial);
  pass_ = found.pass;
  finished_ = found.finished;
  found_items_ = state_.earlier_items + found.count_finished();
  resumes_ = true;
  Searching* const searching = state_.searching();
  if (searching == nullptr || !searching->order.request.collects()) return;
  searching->order.tally.collected.reserve(room_.members);
}

void GroupSink::begin(std::int64_t pass, GroupItems items) {
  pass_ = pass;
  if (resumes_) {
    resumes_ = false;
    return;
  }
  state_.earlier_items += std::ssize(finished_);
  state_.items = std::move(items);
  if (Counting* const counting = state_.counting()) counting->left.clear();
  finished_.assign(state_.items.list().size(), false);
}

void GroupSink::add(std::int64_t /*item*/, base::ByteReader& body) {
  auto result = body.get<GroupResult>();
  if (Searching* const searching = state_.searching()) {
    return add_found(*searching, std::move(result.tally));
  }
  Counting& counting = *state_.counting();
  if (counting.requested.first == state_.first) state_.left_out += result.left_out;
  if (result.bad_place != GroupResult::kNoPlace &&
      (counting.bad_place == GroupResult::kNoPlace || result.bad_place < counting.bad_place)) {
    counting.bad_place = result.bad_place;
  }
  if (!result.left.empty()) counting.left.push_back(result.left);
  add_run(std::move(result.groups));
}

void GroupSink::add_found(Searching& searching, statistics::GroupTally tally) {
  statistics::GroupOrder& order = searching.order;
  const std::size_t collected = order.tally.collected.size();
  // A vector that grows takes twice the memory.
  if (collected > 0 && collected + tally.collected.size() > room_.members) {
    store_members(searching);
  }
  order.tally.merge(std::move(tally), order.request);
}

void GroupSink::add_run(statistics::GroupPartials run) {
  state_.runs.push_back(std::move(run));
  // Each run has at least twice the groups of the next one, so a group is merged few times.
  while (state_.runs.size() > 1 &&
         state_.runs[state_.runs.size() - 2].size() < 2 * state_.runs.back().size()) {
    merge_last();
  }
}

void GroupSink::make_room() {
  std::size_t bytes = 0;
  for (const statistics::GroupPartials& run : state_.runs) bytes += GroupRecords(spec_).bytes(run);
  if (bytes > room_.group_bytes) store_groups();
}

void GroupSink::merge_last() {
  const statistics::GroupPartials last = std::move(state_.runs.back());
  state_.runs.pop_back();
  statistics::GroupPartials& all = state_.runs.back();
  all = statistics::merged(spec_, all, last);
}

void GroupSink::plan_next(Counting& counting, const PassCosts& costs) {
  if (!state_.runs.empty()) store_groups();
  PassPlan& plan = counting.choice.plan;
  counting.choice.is_made = true;
  if (plan.is_slower_than_storing(costs)) {
    plan = {};
    return;
  }
  counting.rest = std::exchange(counting.left, {});
  plan.ends.push_back(counting.requested.last);
  counting.requested.last = plan.ends.front();
}

bool GroupSink::next_keys(Counting& counting) {
  std::vector<statistics::GroupKey>& ends = counting.choice.plan.ends;
  if (!counting.choice.is_made || ends.size() < 2) return false;
  if (!state_.runs.empty()) store_groups();
  counting.requested.first = ends.front() + 1;
  ends.erase(ends.begin());
  counting.requested.last = ends.front();
  return true;
}

void GroupSink::store_groups() {
  while (state_.runs.size() > 1) merge_last();
  const statistics::GroupPartials& all = state_.runs.front();
  const StoredRun run = write_run(file_, GroupRecords(spec_), all, room_.block_bytes);
  state_.stored_groups.push_back(run);
  // The largest run says most about all groups.
  Counting* const counting = state_.counting();
  if (counting != nullptr && !counting->choice.is_made &&
      all.size() > counting->choice.largest_run) {
    counting->choice.largest_run = all.size();
    counting->choice.plan = plan_passes(all, room_.pass, run.end_byte - run.first_byte);
  }
  state_.runs.clear();
  state_.stored = file_.place();
  base::pause_if_ordered("groups.stored");
}

void GroupSink::store_members(Searching& searching) {
  auto& collected = searching.order.tally.collected;
  statistics::sort_members(collected);
  searching.stored_members.push_back(
      write_run(file_, MemberRecords(), collected, room_.block_bytes));
  collected.clear();
  state_.stored = file_.place();
  base::pause_if_ordered("groups.stored");
}

void GroupSink::settle_groups(const std::function<void()>& poll) {
  if (state_.stored_groups.empty()) {
    while (state_.runs.size() > 1) merge_last();
    return;
  }
  if (!state_.runs.empty()) store_groups();
  state_.stored_groups = merge_runs(file_, GroupRecords(spec_), state_.stored_groups,
                                    room_.block_bytes, room_.merge_bytes, poll);
  state_.stored = file_.place();
}

void GroupSink::settle_members(Searching& searching, const std::function<void()>& poll) {
  auto& collected = searching.order.tally.collected;
  if (searching.stored_members.empty()) return statistics::sort_members(collected);
  if (!collected.empty()) store_members(searching);
  searching.stored_members = merge_runs(file_, MemberRecords(), searching.stored_members,
                                        room_.block_bytes, room_.merge_bytes, poll);
  state_.stored = file_.place();
}

void GroupSink::fill(store::ReduceCheckpoint& state) const {
  file_.sync();
  state.pass = pass_;
  state.tiles_each = piece_bytes_;
  state.shares = state_.items.pieces_each;
  state.partial = base::to_bytes(state_);
}

}  // namespace tessera::reduce
