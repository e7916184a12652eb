#include "store/image/stored_tile.hpp"

#include "base/error.hpp"
#include "codec/chunk.hpp"

namespace tessera::store {

std::string read_tile(const ImageReader& image, const TileRow& row, StoredTile& tile) {
  const auto& fields = image.header().fields;
  tile.chunks.resize(fields.size());
  std::uint32_t checksum = 0;
  try {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      auto& [bytes, filter_mask] = tile.chunks[i];
      if (!image.read_chunk(fields[i].first, row.row, row.column, bytes, filter_mask)) {
        return "its chunk is not in the file";
      }
      checksum = codec::crc32c(bytes, checksum);
    }
  } catch (const base::Error& error) {
    return error.what();
  }
  return checksum == row.checksum ? "" : "its bytes have changed";
}

}  // namespace tessera::store
