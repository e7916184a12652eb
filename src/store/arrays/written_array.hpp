// An array that is written to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "plan/array_pieces.hpp"

namespace tessera::store {

/// The scale of a dimension.
struct WrittenScale {
  std::string name;
  std::int64_t length = 0;
  base::ElementType type = base::ElementType::f64;
  std::vector<std::byte> values{};                           ///< coordinates; empty = none
  std::vector<std::pair<std::string, std::string>> texts{};  ///< attributes of the coordinates
};

struct WrittenArray {
  std::string name;  ///< name of the dataset
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< elements are booleans, one byte each; `type` is u8
  plan::Shape shape;
  std::vector<double> edges{};  ///< edges of a histogram's bins; in HDF5 the dataset NAME_edges
  plan::Shape chunk{};  ///< shape of the chunks, in formats that have them; empty = contiguous
  /// In Zarr: of the files that the chunks are in, a whole number of chunks in each dimension. Each
  /// has consecutive chunks, and these are written one behind the other.
  plan::Shape shard{};
  int compress = 0;  ///< level of chunks, as codec::ChunkEncoder takes it
  /// One for each dimension, in formats that have them; empty if none has a name.
  std::vector<std::shared_ptr<const WrittenScale>> scales{};
};

/// The bytes that belong to one index tuple of the first `dimensions`.
inline std::size_t bytes_each(const WrittenArray& array, std::size_t dimensions) {
  std::size_t bytes = base::element_bytes(array.type);
  for (std::size_t d = dimensions; d < array.shape.size(); ++d) {
    bytes *= static_cast<std::size_t>(array.shape[d]);
  }
  return bytes;
}

}  // namespace tessera::store
