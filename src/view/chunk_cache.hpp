// A least-recently-used cache of decoded chunks.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/bytes.hpp"
#include "job/image/render_job.hpp"

namespace tessera::view {

struct ChunkKey {
  std::uint64_t generation = 0;  ///< of the image
  job::Field field = job::Field::iterations;
  int level = 0;
  std::int64_t tile = 0;       ///< in row-major order
  std::uint32_t revision = 0;  ///< of its contents

  auto operator<=>(const ChunkKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};

/// Any thread may use it.
class ChunkCache {
 public:
  using Values = std::shared_ptr<const base::Bytes>;

  explicit ChunkCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// The values of a chunk. If the cache lacks them, make() reads them. A null result is not kept.
  Values get(const ChunkKey& key, const std::function<Values()>& make);

 private:
  using Chunks = std::list<std::pair<ChunkKey, Values>>;
  Values find(const ChunkKey& key);
  void keep(const ChunkKey& key, const Values& values);
  void erase(Chunks::iterator chunk);

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::size_t bytes_ = 0;
  Chunks chunks_;  ///< last used first
  std::map<ChunkKey, Chunks::iterator> by_key_;
};

}  // namespace tessera::view
