// The stored bytes of the chunks of a Zarr array, in files of their own or in shards. Private to
// this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/lru_cache.hpp"
#include "store/zarr/zarr_metadata.hpp"
#include "store/zarr/zarr_store.hpp"

namespace tessera::store {

/// Any thread may use it.
class ZarrChunks {
 public:
  /// `folder`: of the array in the store; "" or "a/b/".
  ZarrChunks(std::unique_ptr<const ZarrStore> store, std::string folder,
             const ZarrMetadata& metadata);

  /// The bytes of the chunk with these numbers; nothing if it is missing. Throws base::Error
  /// (failed) for a shard whose index is damaged. At most `max_bytes` of a file are taken.
  std::optional<base::Bytes> read(const job::Shape& numbers, std::uint64_t max_bytes) const;

 private:
  struct Entry {
    std::uint64_t offset = 0, bytes = 0;
  };
  struct Shard {
    std::unique_ptr<const ZarrValue> value;  ///< null if it is missing
    std::vector<Entry> entries;
  };
  std::shared_ptr<Shard> open_shard(const std::string& key) const;
  std::optional<base::Bytes> read_inner(const job::Shape& numbers, std::uint64_t max_bytes) const;

  std::unique_ptr<const ZarrStore> store_;
  std::string folder_;
  const ZarrMetadata& metadata_;
  job::Shape inner_;  ///< inner chunks of a shard in each dimension
  mutable base::LruCache<std::string, Shard> shards_;
};

}  // namespace tessera::store
