// Which rank stores an item, and what happens when it is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::farm {

/// The results of a farm may be stored in several parts, each by one rank. Usually there is one
/// part, which the gather rank stores.
struct Parts {
  std::vector<int> ranks = {0};                             ///< that store each part
  std::function<std::size_t(std::int64_t item)> of_item{};  ///< null if there is one part

  std::size_t count() const { return ranks.size(); }
  std::size_t part_of(std::int64_t item) const { return of_item ? of_item(item) : 0; }
  int rank_of(std::int64_t item) const { return ranks[part_of(item)]; }
};

/// The parts of a farm that is running. Any thread may call it.
class Routes {
 public:
  explicit Routes(Parts parts) : parts_(std::move(parts)) {}

  bool has_several() const { return parts_.count() > 1; }
  std::size_t count() const { return parts_.count(); }
  std::size_t part_of(std::int64_t item) const { return parts_.part_of(item); }
  int rank_of(std::int64_t item) const {
    const std::scoped_lock lock(mutex_);
    return parts_.rank_of(item);
  }
  std::vector<int> ranks() const {
    const std::scoped_lock lock(mutex_);
    return parts_.ranks;
  }
  void move(std::size_t part, int rank) {
    const std::scoped_lock lock(mutex_);
    parts_.ranks[part] = rank;
  }

 private:
  mutable std::mutex mutex_;  ///< guards the ranks
  Parts parts_;
};

}  // namespace tessera::farm
