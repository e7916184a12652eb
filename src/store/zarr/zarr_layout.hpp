// How an array that is written lies in shards of Zarr. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/arrays/written_array.hpp"

namespace tessera::store {

/// Where an inner chunk is in a shard.
struct ZarrEntry {
  static constexpr std::uint64_t kMissing = ~std::uint64_t{0};
  std::uint64_t offset_bytes = kMissing;
  std::uint64_t bytes = kMissing;
};

struct ZarrLayout {
  plan::Shape chunk;       ///< of the inner chunks
  plan::Shape shard_grid;  ///< inner chunks of a shard

  /// Without chunks of its own, an array is one shard, which has its elements in C order.
  explicit ZarrLayout(const WrittenArray& array);
  plan::Shape shard() const;
};

/// The file of a shard, from the folder of its array on: "c/0/1"; "c" without dimensions.
std::string zarr_shard_key(const plan::Shape& numbers);

/// The end of a shard: its entries, in C order, and their crc32c.
std::vector<std::byte> zarr_index(const std::vector<ZarrEntry>& entries);
/// The entries of a shard that is there; none if they are damaged.
std::vector<ZarrEntry> read_zarr_index(const std::string& shard, std::size_t chunks);

}  // namespace tessera::store
