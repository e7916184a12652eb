#include "reduce/groups/counted_groups.hpp"

#include <algorithm>

namespace tessera::reduce {

using statistics::GroupKey;
using statistics::GroupMember;
using statistics::GroupPartials;

CountedGroups::CountedGroups(const GroupSink& sink, const statistics::ReductionSpec& spec,
                             GroupKey first) {
  const GroupState& state = sink.state();
  if (!state.stored_groups.empty()) {
    stored_.emplace(GroupRecords(spec), sink.path(), state.stored_groups, first);
  } else if (!state.runs.empty()) {
    all_ = &state.runs.front();
    at_ =
        static_cast<std::size_t>(std::ranges::lower_bound(all_->keys, first) - all_->keys.begin());
  }
}

bool CountedGroups::done() const {
  if (stored_) return stored_->done();
  return all_ == nullptr || at_ == all_->size();
}

const GroupPartials* CountedGroups::next(GroupKey last) {
  if (stored_) {
    some_ = stored_->next(last);
    return some_ ? &*some_ : nullptr;
  }
  if (done() || all_->keys[at_] > last) return nullptr;
  const std::size_t first = at_;
  at_ = static_cast<std::size_t>(std::ranges::upper_bound(all_->keys, last) - all_->keys.begin());
  if (first == 0 && done()) return all_;
  some_ = all_->part(first, at_);
  return &*some_;
}

CollectedMembers::CollectedMembers(const GroupSink& sink, GroupKey first)
    : most_(sink.room().members) {
  const Searching* const searching = sink.state().searching();
  if (searching == nullptr) return;
  all_ = searching->order.tally.collected;
  if (searching->stored_members.empty()) return;
  stored_.emplace(MemberRecords(), sink.path(), searching->stored_members, first);
  some_.reserve(most_ + statistics::kMaxCollected);
}

std::span<const GroupMember> CollectedMembers::up_to(GroupKey last) {
  if (!stored_) return all_;
  some_.clear();
  while (auto more = stored_->next(last)) {
    some_.insert(some_.end(), more->begin(), more->end());
  }
  return some_;
}

std::size_t CollectedMembers::some_of(const GroupPartials& groups, std::size_t first) const {
  std::size_t end = first;
  std::size_t elements = 0;
  while (end < groups.size() && (!stored_ || elements <= most_)) {
    const std::int64_t more = groups.elements[end++];
    if (more <= statistics::kMaxCollected) elements += static_cast<std::size_t>(more);
  }
  return end - first;
}

}  // namespace tessera::reduce
