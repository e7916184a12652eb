// Writes the inner chunks of Zarr arrays, shard by shard. Private to store.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/file/posix_file.hpp"
#include "store/arrays/written_array.hpp"
#include "store/arrays/written_chunks.hpp"
#include "store/zarr/zarr_layout.hpp"

namespace tessera::store {

/// The chunks of a shard of an array come one behind the other, in any order; then its file is
/// whole. That of a shard of an earlier run is replaced.
class WrittenShards : public WrittenChunks {
 public:
  /// `folder`: as create_zarr_arrays() made it.
  WrittenShards(std::string folder, std::vector<WrittenArray> arrays);

  std::uint32_t write(std::size_t array, const plan::Shape& origin,
                      std::span<const std::byte> bytes, std::uint32_t filter_mask,
                      std::uint32_t checksum) override;
  std::vector<std::byte> read(std::size_t array, const plan::Shape& origin) const override;
  void flush() override;
  void close() override;

 private:
  /// A shard that is being written.
  struct Shard {
    std::string path;
    std::unique_ptr<base::PosixFile> file;
    std::vector<ZarrEntry> entries;
    std::int64_t missing = 0;  ///< chunks that have not come
    std::uint64_t bytes = 0;
  };
  struct Place {
    std::string path;         ///< of the shard
    std::size_t entry = 0;    ///< of the chunk
    std::int64_t chunks = 0;  ///< of the shard that are in the array
  };
  Place place_of(std::size_t array, const plan::Shape& origin) const;
  void begin(const Place& place, std::size_t entries, Shard& shard);
  void end(Shard& shard);

  std::string folder_;
  std::vector<WrittenArray> arrays_;
  std::vector<ZarrLayout> layouts_;
  std::vector<Shard> open_;  ///< by array
  std::mutex mutex_;
  std::set<std::string> unsynced_files_;
  std::set<std::string> unsynced_folders_;  ///< with new names

  mutable std::string read_path_;  ///< of the index that was read last
  mutable std::vector<ZarrEntry> read_entries_;
};

}  // namespace tessera::store
