#include "explore/value_cache.hpp"

namespace tessera::explore {

ValueCache::Values ValueCache::find(const SquareKey& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  squares_.splice(squares_.begin(), squares_, found->second);
  return found->second->second;
}

void ValueCache::keep(const SquareKey& key, const Values& values) {
  const std::scoped_lock lock(mutex_);
  if (values->bytes() > most_bytes_ || by_key_.contains(key)) return;
  squares_.emplace_front(key, values);
  by_key_.emplace(key, squares_.begin());
  bytes_ += values->bytes();
  while (bytes_ > most_bytes_) {
    bytes_ -= squares_.back().second->bytes();
    by_key_.erase(squares_.back().first);
    squares_.pop_back();
  }
}

}  // namespace tessera::explore
