#include "store/zarr/zarr_chunks.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "plan/array_pieces.hpp"

namespace tessera::store {
namespace {

static_assert(std::endian::native == std::endian::little, "indices of shards are little-endian");

/// Shards that stay open.
constexpr std::size_t kMaxOpenShards = 64;
constexpr std::size_t kChecksumBytes = 4;

base::Bytes bytes_of(const ZarrValue& value, std::uint64_t offset, std::uint64_t count,
                     std::uint64_t max_bytes) {
  if (count > max_bytes) {
    throw base::run_error("{} stored bytes; such a chunk has at most {}", count, max_bytes);
  }
  base::Bytes bytes(count);
  value.read_at(offset, bytes);
  return bytes;
}

}  // namespace

ZarrChunks::ZarrChunks(std::unique_ptr<const ZarrStore> store, std::string folder,
                       const ZarrMetadata& metadata)
    : store_(std::move(store)),
      folder_(std::move(folder)),
      metadata_(metadata),
      shards_(kMaxOpenShards) {
  if (!metadata.shards) return;
  for (std::size_t d = 0; d < metadata.chunk.size(); ++d) {
    inner_.push_back(metadata.shards->shape[d] / metadata.chunk[d]);
  }
}

std::optional<base::Bytes> ZarrChunks::read(const job::Shape& numbers,
                                            std::uint64_t max_bytes) const {
  if (metadata_.shards) return read_inner(numbers, max_bytes);
  const auto value = store_->open(folder_ + metadata_.key_of(numbers));
  if (!value) return std::nullopt;
  return bytes_of(*value, 0, value->size_bytes(), max_bytes);
}

std::shared_ptr<ZarrChunks::Shard> ZarrChunks::open_shard(const std::string& key) const {
  auto shard = std::make_shared<Shard>();
  shard->value = store_->open(key);
  if (!shard->value) return shard;
  const ZarrShards& shards = *metadata_.shards;
  shard->entries.resize(static_cast<std::size_t>(plan::element_count(inner_)));
  const auto entries = std::as_writable_bytes(std::span(shard->entries));
  base::Bytes index(entries.size() + (shards.index_has_checksum ? kChecksumBytes : 0));
  const std::uint64_t all = shard->value->size_bytes();
  if (all < index.size()) throw base::run_error("shard {}: too short for its index", key);
  shard->value->read_at(shards.index_at_start ? 0 : all - index.size(), index);
  std::memcpy(entries.data(), index.data(), entries.size());
  if (!shards.index_has_checksum) return shard;
  std::uint32_t wanted = 0;
  std::memcpy(&wanted, index.data() + entries.size(), sizeof wanted);
  if (base::crc32c(entries) != wanted) {
    throw base::run_error("shard {}: its index has another crc32c", key);
  }
  return shard;
}

std::optional<base::Bytes> ZarrChunks::read_inner(const job::Shape& numbers,
                                                  std::uint64_t max_bytes) const {
  constexpr std::uint64_t kMissing = std::numeric_limits<std::uint64_t>::max();
  job::Shape outer;
  std::size_t place = 0;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    outer.push_back(numbers[d] / inner_[d]);
    place = place * static_cast<std::size_t>(inner_[d]) +
            static_cast<std::size_t>(numbers[d] % inner_[d]);
  }
  const std::string key = folder_ + metadata_.key_of(outer);
  const auto shard = shards_.get(key, [&] { return open_shard(key); });
  if (!shard->value) return std::nullopt;
  const Entry& entry = shard->entries[place];
  if (entry.offset == kMissing && entry.bytes == kMissing) return std::nullopt;
  const std::uint64_t all = shard->value->size_bytes();
  if (entry.offset > all || entry.bytes > all - entry.offset) {
    throw base::run_error("shard {}: an inner chunk lies behind its end", key);
  }
  return bytes_of(*shard->value, entry.offset, entry.bytes, max_bytes);
}

}  // namespace tessera::store
