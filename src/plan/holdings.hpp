// Tracks which rank holds which items: assigned to it, and not finished by any rank. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tessera::plan {

/// Most items have one holder; near the end, some have two.
class Holdings {
 public:
  explicit Holdings(int ranks) : held_(static_cast<std::size_t>(ranks)) {}

  void add(int rank, std::span<const std::int64_t> items);
  /// Adds `rank` as the second holder of `item`.
  void add_copy(int rank, std::int64_t item);
  /// Removes the item from all its holders. `most_likely` is searched first.
  struct Removed {
    bool from_most_likely = false;
    std::vector<int> others;  ///< the other holders
  };
  Removed remove(std::int64_t item, int most_likely);
  /// Removes those of `items` that `rank` holds.
  struct Released {
    std::vector<std::int64_t> alone;   ///< nobody holds them any more
    std::vector<std::int64_t> shared;  ///< another rank still holds them
  };
  Released release(int rank, std::span<const std::int64_t> items);
  Released release_all(int rank);

  /// The item that was assigned to `rank` last and that no other rank holds.
  std::optional<std::int64_t> last_uncopied(int rank) const;
  /// Each rank that holds items, and how many.
  std::vector<std::pair<int, std::int64_t>> holders() const;
  /// The holder of the item if there is exactly one; -1 otherwise.
  int only_holder(std::int64_t item) const;

 private:
  std::deque<std::int64_t>& of(int rank) { return held_[static_cast<std::size_t>(rank)]; }
  bool take_from(int rank, std::int64_t item);

  std::vector<std::deque<std::int64_t>> held_;  ///< by rank, in the order of assignment
  std::unordered_set<std::int64_t> copied_;     ///< items that two ranks hold
};

}  // namespace tessera::plan
