// Which rank has which items: handed to it, and not yet answered by anybody. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace tessera::plan {

/// Most items have one holder; near the end some have two.
class Holdings {
 public:
  explicit Holdings(int ranks) : held_(static_cast<std::size_t>(ranks)) {}

  void add(int rank, std::span<const std::int64_t> items);
  /// `item`, which another rank has, is given to `rank` too.
  void add_copy(int rank, std::int64_t item);
  /// Nobody has the item any more; returns who had it. `most_likely` is asked first.
  std::vector<int> remove(std::int64_t item, int most_likely);
  /// `rank` has these no more, as far as it had them.
  struct Released {
    std::vector<std::int64_t> alone;   ///< nobody has them any more
    std::vector<std::int64_t> shared;  ///< another rank has them still
  };
  Released release(int rank, std::span<const std::int64_t> items);
  Released release_all(int rank);

  /// The item of `rank` that was handed out last and that nobody else has.
  std::optional<std::int64_t> last_uncopied(int rank) const;
  /// Who has the item, when it is one rank; -1 otherwise.
  int only_holder(std::int64_t item) const;

 private:
  std::deque<std::int64_t>& of(int rank) { return held_[static_cast<std::size_t>(rank)]; }
  bool take_from(int rank, std::int64_t item);

  std::vector<std::deque<std::int64_t>> held_;  ///< by rank, in the order of handing out
  std::unordered_set<std::int64_t> copied_;     ///< that two ranks have
};

}  // namespace tessera::plan
