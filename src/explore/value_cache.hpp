// A least-recently-used cache of the values of squares.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "explore/square.hpp"

namespace tessera::explore {

/// Any thread may use it.
class ValueCache {
 public:
  using Values = std::shared_ptr<const SquareValues>;

  explicit ValueCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Null if the cache lacks them.
  Values find(const SquareKey& key);
  void keep(const SquareKey& key, const Values& values);

 private:
  using Squares = std::list<std::pair<SquareKey, Values>>;

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  Squares squares_;  ///< last used first
  std::map<SquareKey, Squares::iterator> by_key_;
};

}  // namespace tessera::explore
