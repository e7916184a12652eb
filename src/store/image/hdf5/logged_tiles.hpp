// Tiles of an unfinished image that only its log lists. HDF5 gets their addresses at the next
// flush, or never if the run was killed before it. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file/input_file.hpp"
#include "store/image/hdf5/tile_log.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

class LoggedTiles {
 public:
  /// `known`: for each tile, whether HDF5 has it. Nothing is found if `part` has no valid log.
  LoggedTiles(const std::string& part, const ImageHeader& header, const std::vector<bool>& known);

  /// The tile's record; null if the log lacks it or HDF5 has it.
  const LogRecord* find(std::int64_t tile) const;
  /// Reads the chunk's bytes, which may be damaged after a power cut; the rows of /tiles have
  /// checksums.
  void read(const ChunkRecord& chunk, std::vector<std::byte>& bytes) const;

 private:
  std::unique_ptr<base::InputFile> file_;
  std::unordered_map<std::int64_t, LogRecord> records_;
};

}  // namespace tessera::store
