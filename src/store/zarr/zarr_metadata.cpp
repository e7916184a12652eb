#include "store/zarr/zarr_metadata.hpp"

#include "base/error.hpp"
#include "store/zarr/zarr_json.hpp"

namespace tessera::store {
namespace {

constexpr const char* kArray2 = ".zarray";
constexpr const char* kDocument3 = "zarr.json";

/// "array" or "group"; "" if there is no document of version 3.
std::string node_type(const ZarrStore& store, const std::string& folder) {
  const auto text = store.read_text(folder + kDocument3);
  if (!text) return "";
  return json_text(member_of(parse_zarr_json(*text, folder + kDocument3), "node_type"));
}

void check_ranks(const ZarrMetadata& array, const std::string& name) {
  if (array.chunk.size() == array.shape.size()) return;
  throw base::usage_error("{}: Zarr: the array is {}, its chunks are {}", name,
                          job::format_shape(array.shape), job::format_shape(array.chunk));
}

/// Chunks are decoded as a whole, and the index of a shard is read as a whole.
void check_sizes(const ZarrMetadata& array, const std::string& name) {
  // not crossed: only refuses
  constexpr std::int64_t kMaxZarrChunkBytes = std::int64_t{1} << 40;
  constexpr std::int64_t kMaxChunksOfShard = std::int64_t{1} << 30;
  const std::int64_t elements = job::count_elements(array.chunk, name);
  const auto bytes = static_cast<std::int64_t>(base::element_bytes(array.type));
  if (elements > kMaxZarrChunkBytes / bytes) {
    throw base::usage_error("{}: Zarr: its chunks of {} are too large", name,
                            job::format_shape(array.chunk));
  }
  if (!array.shards) return;
  const std::int64_t all = job::count_elements(array.shards->shape, name);
  if (elements > 0 && all / elements > kMaxChunksOfShard) {
    throw base::usage_error("{}: Zarr: its shards of {} have too many chunks", name,
                            job::format_shape(array.shards->shape));
  }
}

}  // namespace

std::string ZarrMetadata::key_of(const job::Shape& numbers) const {
  if (numbers.empty()) return version == 3 && !key_prefix.empty() ? "c" : "0";
  std::string key = key_prefix;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    if (d > 0) key += separator;
    key += std::to_string(numbers[d]);
  }
  return key;
}

bool has_zarr_array(const ZarrStore& store, const std::string& folder) {
  return store.has(folder + kArray2) || node_type(store, folder) == "array";
}

bool has_zarr_group(const ZarrStore& store, const std::string& folder) {
  return store.has(folder + ".zgroup") || node_type(store, folder) == "group";
}

ZarrMetadata read_zarr_metadata(const ZarrStore& store, const std::string& folder,
                                const std::string& name) {
  ZarrMetadata array;
  if (const auto text = store.read_text(folder + kDocument3)) {
    read_zarr3(parse_zarr_json(*text, name), name, array);
  } else {
    const Json attributes =
        parse_zarr_json(store.read_text(folder + ".zattrs").value_or("{}"), name);
    read_zarr2(parse_zarr_json(store.read_text(folder + kArray2).value_or(""), name), attributes,
               name, array);
  }
  check_ranks(array, name);
  job::count_elements(array.shape, name);
  check_sizes(array, name);
  return array;
}

}  // namespace tessera::store
