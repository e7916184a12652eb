#include "plan/holdings.hpp"

#include <algorithm>

namespace tessera::plan {

void Holdings::add(int rank, std::span<const std::int64_t> items) {
  of(rank).insert(of(rank).end(), items.begin(), items.end());
}

std::vector<std::pair<int, std::int64_t>> Holdings::holders() const {
  std::vector<std::pair<int, std::int64_t>> holders;
  for (std::size_t rank = 0; rank < held_.size(); ++rank) {
    if (held_[rank].empty()) continue;
    holders.emplace_back(static_cast<int>(rank), static_cast<std::int64_t>(held_[rank].size()));
  }
  return holders;
}

void Holdings::add_copy(int rank, std::int64_t item) {
  of(rank).push_back(item);
  copied_.insert(item);
}

bool Holdings::take_from(int rank, std::int64_t item) {
  // Ranks finish items nearly in the order of assignment, so it is among the first.
  const auto found = std::ranges::find(of(rank), item);
  if (found == of(rank).end()) return false;
  of(rank).erase(found);
  return true;
}

Holdings::Removed Holdings::remove(std::int64_t item, int most_likely) {
  Removed removed{.from_most_likely = take_from(most_likely, item)};
  const bool was_copied = !copied_.empty() && copied_.erase(item) > 0;
  if (removed.from_most_likely && !was_copied) return removed;
  for (int rank = 0; rank < static_cast<int>(held_.size()); ++rank) {
    if (rank != most_likely && take_from(rank, item)) removed.others.push_back(rank);
  }
  return removed;
}

Holdings::Released Holdings::release(int rank, std::span<const std::int64_t> items) {
  Released released;
  for (const std::int64_t item : items) {
    if (!take_from(rank, item)) continue;
    (copied_.erase(item) > 0 ? released.shared : released.alone).push_back(item);
  }
  return released;
}

Holdings::Released Holdings::release_all(int rank) {
  const std::vector<std::int64_t> items(of(rank).begin(), of(rank).end());
  return release(rank, items);
}

std::optional<std::int64_t> Holdings::last_uncopied(int rank) const {
  const auto& held = held_[static_cast<std::size_t>(rank)];
  const auto found = std::find_if(held.rbegin(), held.rend(),
                                  [&](std::int64_t item) { return !copied_.contains(item); });
  if (found == held.rend()) return std::nullopt;
  return *found;
}

int Holdings::only_holder(std::int64_t item) const {
  if (copied_.contains(item)) return -1;
  for (std::size_t rank = 0; rank < held_.size(); ++rank) {
    if (std::ranges::find(held_[rank], item) != held_[rank].end()) return static_cast<int>(rank);
  }
  return -1;
}

}  // namespace tessera::plan
