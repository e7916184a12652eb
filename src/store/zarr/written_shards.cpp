// Writes the inner chunks of Zarr arrays, shard by shard.

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/checksum.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/unfinished_folder.hpp"
#include "codec/blosc_head.hpp"
#include "codec/chunk.hpp"
#include "store/zarr/zarr_layout.hpp"
#include "store/zarr/zarr_writing.hpp"

namespace tessera::store {
namespace {

/// A chunk in two parts, as they are stored.
struct StoredParts {
  std::vector<std::byte> head;
  std::span<const std::byte> bytes;
};

/// Without compression, the elements alone. `room`: for elements that are stored after all.
StoredParts parts_of(const WrittenArray& array, std::span<const std::byte> bytes,
                     std::uint32_t filter_mask, std::vector<std::byte>& room) {
  if (array.compress == 0) return {{}, bytes};
  codec::BloscBlock block{.element_bytes = base::element_bytes(array.type),
                          .raw_bytes = static_cast<std::size_t>(plan::element_count(array.chunk)) *
                                       base::element_bytes(array.type),
                          .stream_bytes = filter_mask == codec::kAllFilters ? bytes.size() : 0};
  if (!codec::fits_blosc(block)) {
    room.resize(block.raw_bytes);
    codec::ChunkDecoder(array.type).decode(bytes, filter_mask, room);
    bytes = room;
    block.stream_bytes = 0;
  }
  return {codec::blosc_head(block), bytes};
}

/// The chunks of a shard of an array come one behind the other, in any order; then its file is
/// whole. That of a shard of an earlier run is replaced.
class WrittenShards : public WrittenChunks {
 public:
  /// `folder`: as create_zarr_arrays() made it.
  WrittenShards(std::string folder, std::vector<WrittenArray> arrays)
      : folder_(std::move(folder)), arrays_(std::move(arrays)), open_(arrays_.size()) {
    for (const WrittenArray& array : arrays_) layouts_.emplace_back(array);
  }

  std::uint32_t write(std::size_t array, const plan::Shape& origin,
                      std::span<const std::byte> bytes, std::uint32_t filter_mask,
                      std::uint32_t checksum) override {
    const Place place = place_of(array, origin);
    Shard& shard = open_[array];
    if (shard.missing == 0 || shard.path != place.path) {
      begin(place, static_cast<std::size_t>(plan::element_count(layouts_[array].shard_grid)),
            shard);
    }
    std::vector<std::byte> room;
    const StoredParts parts = parts_of(arrays_[array], bytes, filter_mask, room);
    if (!parts.head.empty()) shard.file->write(parts.head);
    shard.file->write(parts.bytes);
    const std::uint64_t stored = parts.head.size() + parts.bytes.size();
    shard.entries[place.entry] = {shard.bytes, stored};
    shard.bytes += stored;
    if (--shard.missing == 0) end(shard);
    return base::crc32c(parts.bytes, base::crc32c(parts.head, checksum));
  }
  std::vector<std::byte> read(std::size_t array, const plan::Shape& origin) const override {
    const Place place = place_of(array, origin);
    if (place.path != read_path_) {
      read_entries_ = read_zarr_index(
          place.path, static_cast<std::size_t>(plan::element_count(layouts_[array].shard_grid)));
      read_path_ = place.path;
    }
    if (read_entries_.empty()) return {};
    const ZarrEntry& entry = read_entries_[place.entry];
    const base::InputFile file(place.path);
    if (entry.offset_bytes > file.size_bytes() ||
        entry.bytes > file.size_bytes() - entry.offset_bytes) {
      return {};
    }
    std::vector<std::byte> bytes(entry.bytes);
    file.read_at(entry.offset_bytes, bytes);
    return bytes;
  }
  void flush() override {
    std::set<std::string> files, folders;
    {
      const std::scoped_lock lock(mutex_);
      files.swap(unsynced_files_);
      folders.swap(unsynced_folders_);
    }
    // In this order: the folders are on the disk with the files, as far as they can be.
    base::sync_all({files.begin(), files.end()});
    base::sync_all({folders.begin(), folders.end()});
  }
  void close() override { flush(); }

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
  Place place_of(std::size_t array, const plan::Shape& origin) const {
    const ZarrLayout& layout = layouts_[array];
    Place place{.chunks = 1};
    plan::Shape numbers;
    for (std::size_t d = 0; d < origin.size(); ++d) {
      const std::int64_t chunk = layout.chunk[d];
      const std::int64_t each = layout.shard_grid[d];
      const std::int64_t number = origin[d] / chunk;
      numbers.push_back(number / each);
      place.entry =
          place.entry * static_cast<std::size_t>(each) + static_cast<std::size_t>(number % each);
      const std::int64_t all = (arrays_[array].shape[d] + chunk - 1) / chunk;
      place.chunks *= std::min(each, all - numbers[d] * each);
    }
    place.path = folder_ + "/" + arrays_[array].name + "/" + zarr_shard_key(numbers);
    return place;
  }
  void begin(const Place& place, std::size_t entries, Shard& shard) {
    if (shard.missing > 0) throw std::logic_error("a chunk of another shard");
    shard = {.path = place.path,
             .file = std::make_unique<base::PosixFile>(place.path),
             .entries = std::vector<ZarrEntry>(entries),
             .missing = place.chunks};
  }
  void end(Shard& shard) {
    shard.file->write(zarr_index(shard.entries));
    shard.file->start_sync(0, shard.bytes);
    shard.file->close();
    shard.file.reset();
    const std::scoped_lock lock(mutex_);
    unsynced_files_.insert(shard.path);
    for (std::string place = base::folder_of(shard.path); place.size() > folder_.size();
         place = base::folder_of(place)) {
      if (!unsynced_folders_.insert(place).second) break;
    }
  }

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

}  // namespace

std::unique_ptr<WrittenChunks> open_zarr_chunks(const std::string& folder,
                                                const std::vector<WrittenArray>& arrays) {
  return std::make_unique<WrittenShards>(folder, arrays);
}

}  // namespace tessera::store
