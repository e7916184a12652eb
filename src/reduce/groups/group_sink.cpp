#include "reduce/groups/group_sink.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fault.hpp"

namespace tessera::reduce {

void GroupSink::go_on(const store::ReduceCheckpoint& found) {
  state_ = base::from_bytes<GroupState>(found.partial);
  pass_ = found.pass;
  finished_ = found.finished;
  found_items_ = state_.earlier_items + found.count_finished();
  resumes_ = true;
  if (state_.order.request.collects()) state_.order.tally.collected.reserve(room_.members);
}

void GroupSink::begin(std::int64_t pass, GroupItems items) {
  pass_ = pass;
  if (resumes_) {
    resumes_ = false;
    return;
  }
  state_.earlier_items += std::ssize(finished_);
  state_.items = std::move(items);
  state_.left.clear();
  finished_.assign(state_.items.list().size(), false);
}

void GroupSink::add(std::int64_t /*item*/, base::ByteReader& body) {
  auto result = body.get<GroupResult>();
  if (state_.order.request.any()) {
    const std::size_t collected = state_.order.tally.collected.size();
    // A vector that grows takes twice the memory.
    if (collected > 0 && collected + result.tally.collected.size() > room_.members) {
      store_members();
    }
    state_.order.tally.merge(std::move(result.tally), state_.order.request);
    return;
  }
  if (state_.wanted.first == state_.first) state_.left_out += result.left_out;
  if (result.bad_place != GroupResult::kNoPlace &&
      (state_.bad_place == GroupResult::kNoPlace || result.bad_place < state_.bad_place)) {
    state_.bad_place = result.bad_place;
  }
  if (!result.left.empty()) state_.left.push_back(result.left);
  add_run(std::move(result.groups));
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

void GroupSink::plan_next(const PassCosts& costs) {
  if (!state_.runs.empty()) store_groups();
  state_.is_decided = true;
  if (state_.plan.is_slower_than_storing(costs)) {
    state_.plan = {};
    return;
  }
  state_.rest = std::exchange(state_.left, {});
  state_.plan.ends.push_back(state_.wanted.last);
  state_.wanted.last = state_.plan.ends.front();
}

bool GroupSink::next_keys() {
  std::vector<statistics::GroupKey>& ends = state_.plan.ends;
  if (!state_.is_decided || ends.size() < 2) return false;
  if (!state_.runs.empty()) store_groups();
  state_.wanted.first = ends.front() + 1;
  ends.erase(ends.begin());
  state_.wanted.last = ends.front();
  return true;
}

void GroupSink::store_groups() {
  while (state_.runs.size() > 1) merge_last();
  const statistics::GroupPartials& all = state_.runs.front();
  const StoredRun run = write_run(file_, GroupRecords(spec_), all, room_.block_bytes);
  state_.stored_groups.push_back(run);
  // The largest run says most about all groups.
  if (!state_.is_decided && all.size() > state_.largest_run) {
    state_.largest_run = all.size();
    state_.plan = plan_passes(all, room_.pass, run.end_byte - run.first_byte);
  }
  state_.runs.clear();
  state_.stored = file_.place();
  base::pause_if_ordered("groups.stored");
}

void GroupSink::store_members() {
  auto& collected = state_.order.tally.collected;
  statistics::sort_members(collected);
  state_.stored_members.push_back(write_run(file_, MemberRecords(), collected, room_.block_bytes));
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

void GroupSink::settle_members(const std::function<void()>& poll) {
  if (state_.stored_members.empty()) {
    return statistics::sort_members(state_.order.tally.collected);
  }
  if (!state_.order.tally.collected.empty()) store_members();
  state_.stored_members = merge_runs(file_, MemberRecords(), state_.stored_members,
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
