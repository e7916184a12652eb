#include "store/zarr/zarr_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/checksum.hpp"
#include "base/file/input_file.hpp"
#include "plan/run_box.hpp"

namespace tessera::store {
namespace {

static_assert(std::endian::native == std::endian::little, "indices of shards are little-endian");

/// Of an array without chunks of its own: as little as a reader likes to take at a time.
// crossed by: AnArrayWithoutChunksIsOneShardOfPartsInCOrder
constexpr std::int64_t kPartBytes = std::int64_t{1} << 20;

/// Consecutive elements in C order. Sides without a useful divisor stay whole: smaller parts than
/// these would take more room for the index.
plan::Shape part_of(const WrittenArray& array) {
  const auto wanted = kPartBytes / static_cast<std::int64_t>(base::element_bytes(array.type));
  plan::Shape part = plan::run_box(array.shape, wanted);
  if (plan::element_count(part) >= std::min(wanted, plan::element_count(array.shape)) / 16) {
    return part;
  }
  for (std::size_t d = part.size(); d-- > 0;) {
    if (part[d] == array.shape[d]) continue;
    part[d] = array.shape[d];
    break;
  }
  return part;
}

}  // namespace

ZarrLayout::ZarrLayout(const WrittenArray& array)
    : chunk(array.chunk.empty() ? part_of(array) : array.chunk) {
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    const std::int64_t whole = (array.shape[d] + chunk[d] - 1) / chunk[d];
    const std::int64_t some = array.shard.empty() ? whole : array.shard[d] / chunk[d];
    shard_grid.push_back(std::max<std::int64_t>(1, some));
  }
}

plan::Shape ZarrLayout::shard() const {
  plan::Shape shape = chunk;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= shard_grid[d];
  return shape;
}

std::string zarr_shard_key(const plan::Shape& numbers) {
  std::string key = "c";
  for (const std::int64_t number : numbers) key += fmt::format("/{}", number);
  return key;
}

std::vector<std::byte> zarr_index(const std::vector<ZarrEntry>& entries) {
  const auto bytes = std::as_bytes(std::span(entries));
  std::vector<std::byte> index(bytes.begin(), bytes.end());
  const std::uint32_t checksum = base::crc32c(bytes);
  const auto end = std::as_bytes(std::span(&checksum, 1));
  index.insert(index.end(), end.begin(), end.end());
  return index;
}

std::vector<ZarrEntry> read_zarr_index(const std::string& shard, std::size_t chunks) {
  std::vector<ZarrEntry> entries(chunks);
  const base::InputFile file(shard);
  std::vector<std::byte> index(zarr_index(entries).size());
  if (file.size_bytes() < index.size()) return {};
  file.read_at(file.size_bytes() - index.size(), index);
  std::memcpy(entries.data(), index.data(), chunks * sizeof(ZarrEntry));
  return zarr_index(entries) == index ? entries : std::vector<ZarrEntry>();
}

}  // namespace tessera::store
