// The metadata of a Zarr array of version 2 or 3, as one table for both. Private to store.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "codec/chunk.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/dimension.hpp"
#include "store/arrays/packed_attributes.hpp"
#include "store/zarr/zarr_store.hpp"

namespace tessera::store {

/// How the bytes of a chunk become elements.
struct ZarrCoding {
  /// Dimension order[i] of the array is dimension i of the stored chunk.
  std::vector<std::size_t> order;
  codec::Filters filters;  ///< in the order of encoding
};

/// The index of a shard: offset and bytes of each inner chunk, in C order.
struct ZarrShards {
  job::Shape shape;  ///< of a shard
  bool index_at_start = false;
  bool index_has_checksum = false;
};

struct ZarrMetadata {
  int version = 3;
  job::Shape shape;
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< `type` is u8
  bool big_endian = false;
  job::Shape chunk;  ///< of the chunks that are decoded at once; inner ones of shards
  ZarrCoding coding;
  std::optional<ZarrShards> shards;
  std::vector<std::byte> fill;  ///< an element of chunks that are missing, in this byte order
  // The key of a chunk or shard: prefix, then its numbers.
  std::string key_prefix;  ///< "", "c" or "c/"
  char separator = '/';
  PackedAttributes attributes;
  std::vector<std::string> dimensions;  ///< names; empty if there are none
  std::vector<TextAttribute> texts;     ///< attributes that are texts

  /// The key of a stored chunk or shard, without the folder of the array.
  std::string key_of(const job::Shape& numbers) const;
};

/// Whether there is an array, or a group, in this folder of the store ("" or "a/b/").
bool has_zarr_array(const ZarrStore& store, const std::string& folder);
bool has_zarr_group(const ZarrStore& store, const std::string& folder);

/// Of the array in this folder. `name`: of the array, with which usage errors begin.
ZarrMetadata read_zarr_metadata(const ZarrStore& store, const std::string& folder,
                                const std::string& name);

}  // namespace tessera::store
