// Tiles of an unfinished image that only its log knows of: HDF5 gets their places at the next
// flush, or never if the run was killed before. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file/input_file.hpp"
#include "store/image/image_file.hpp"
#include "store/image/tile_log.hpp"

namespace tessera::store {

class LoggedTiles {
 public:
  /// `known`: of each tile, whether HDF5 has it. None are found if `part` has no sound log.
  LoggedTiles(const std::string& part, const ImageHeader& header, const std::vector<bool>& known);

  /// Null if it is not one of these.
  const LogRecord* find(std::int64_t tile) const;
  /// The bytes may be anything where power was cut: rows of /tiles have checksums.
  void read(const ChunkRecord& chunk, std::vector<std::byte>& bytes) const;

 private:
  std::unique_ptr<base::InputFile> file_;
  std::unordered_map<std::int64_t, LogRecord> records_;
};

}  // namespace tessera::store
