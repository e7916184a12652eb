#include "view/chunk_cache.hpp"

namespace tessera::view {

ChunkCache::Values ChunkCache::get(const ChunkKey& key, const std::function<Values()>& make) {
  if (Values found = find(key)) return found;
  Values made = make();
  if (made) keep(key, made);
  return made;
}

ChunkCache::Values ChunkCache::find(const ChunkKey& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  chunks_.splice(chunks_.begin(), chunks_, found->second);
  return found->second->second;
}

void ChunkCache::keep(const ChunkKey& key, const Values& values) {
  const std::scoped_lock lock(mutex_);
  if (by_key_.contains(key)) return;
  chunks_.emplace_front(key, values);
  by_key_[key] = chunks_.begin();
  bytes_ += values->size();
  while (bytes_ > most_bytes_) erase(std::prev(chunks_.end()));
}

/// Called with mutex_ locked.
void ChunkCache::erase(Chunks::iterator chunk) {
  bytes_ -= chunk->second->size();
  by_key_.erase(chunk->first);
  chunks_.erase(chunk);
}

}  // namespace tessera::view
