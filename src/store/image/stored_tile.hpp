// The bytes of a tile, as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "store/image/image_file.hpp"

namespace tessera::store {

struct StoredTile {
  struct Chunk {
    std::vector<std::byte> bytes;
    std::uint32_t filter_mask = 0;
  };
  std::vector<Chunk> chunks;  ///< in the order of the fields
};

/// Reads the chunks of the tile and compares them with its checksum. Returns a description of the
/// problem, or "".
std::string read_tile(const ImageReader& image, const TileRow& row, StoredTile& tile);

}  // namespace tessera::store
