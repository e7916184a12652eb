#include "reduce/groups/group_sink.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::reduce {
namespace {

/// Groups that take as much memory, with the accumulators of terms outside of the window.
std::size_t weight_of(const statistics::GroupPartials& groups) {
  constexpr std::size_t kAccumulator = 20;
  return groups.size() + kAccumulator * groups.accumulators();
}

}  // namespace

void GroupSink::begin(std::int64_t pass, const SliceGrid& grid) {
  pass_ = pass;
  pieces_each_ = grid.pieces_per_slice;
  if (resumes_) {
    resumes_ = false;
    return;
  }
  state_.earlier_items += std::ssize(finished_);
  finished_.assign(static_cast<std::size_t>(grid.count()), false);
}

void GroupSink::go_on(const store::ReduceCheckpoint& found) {
  state_ = base::from_bytes<GroupState>(found.partial);
  pass_ = found.pass;
  finished_ = found.finished;
  found_items_ = state_.earlier_items + found.count_finished();
  resumes_ = true;
}

void GroupSink::add(std::int64_t, base::ByteReader& body) {
  auto result = body.get<GroupResult>();
  if (state_.order.request.any()) {
    return state_.order.tally.merge(std::move(result.tally), state_.order.request);
  }
  if (pass_ == 0) state_.left_out += result.left_out;
  if (result.bad_place != GroupResult::kNoPlace &&
      (state_.bad_place == GroupResult::kNoPlace || result.bad_place < state_.bad_place)) {
    state_.bad_place = result.bad_place;
  }
  state_.runs.push_back(std::move(result.partials));
  // Each run has at least twice the groups of the next one, so a group is merged few times.
  while (state_.runs.size() > 1 &&
         state_.runs[state_.runs.size() - 2].size() < 2 * state_.runs.back().size()) {
    merge_last();
  }
}

void GroupSink::merge_last() {
  const statistics::GroupPartials last = std::move(state_.runs.back());
  state_.runs.pop_back();
  statistics::GroupPartials& all = state_.runs.back();
  all = statistics::merged(spec_, all, last);
  if (weight_of(all) <= most_groups_ || all.size() == 1) return;
  all.keep_first(all.size() / 2);
  all.last = all.keys.back();
}

statistics::GroupPartials GroupSink::take() {
  while (state_.runs.size() > 1) merge_last();
  statistics::GroupPartials all;
  if (!state_.runs.empty()) all = std::move(state_.runs.back());
  state_.runs.clear();
  return all;
}

void GroupSink::fill(store::ReduceCheckpoint& state) const {
  state.pass = pass_;
  state.shares = pieces_each_;
  state.partial = base::to_bytes(state_);
}

}  // namespace tessera::reduce
