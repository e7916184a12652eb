// Writes PMTiles, an archive of map tiles in one file, of which a page reads single tiles by HTTP
// range requests. Version 3 of the specification: github.com/protomaps/PMTiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file/posix_file.hpp"
#include "base/file/unfinished_file.hpp"

namespace tessera::store {

/// The number of a tile: all tiles of lower zooms come first, and those of a zoom follow Hilbert's
/// curve, of 2^zoom x 2^zoom tiles.
std::uint64_t pmtiles_number(int zoom, std::int64_t x, std::int64_t y);
/// Its column and row in a zoom.
struct PmtilesPlace {
  std::int64_t x = 0, y = 0;
};
PmtilesPlace pmtiles_place(int zoom, std::uint64_t index);

/// Takes PNG tiles in the order of their numbers. Equal tiles are stored once. Members throw
/// base::Error (failed) naming the file.
class PmtilesWriter {
 public:
  /// Creates `path`.part. `metadata`: JSON for the readers.
  PmtilesWriter(const std::string& path, int zooms, std::string metadata, base::Replace replace);

  void put(std::uint64_t number, std::span<const std::byte> png);
  /// Writes the directories and the header, and renames to `path`.
  void finish();
  std::uint64_t size_bytes() const { return end_; }
  std::uint64_t stored() const { return known_.size(); }  ///< different tiles

 private:
  struct Entry {
    std::uint64_t number = 0, offset = 0;
    std::uint32_t bytes = 0, run = 1;
  };
  struct Known {
    std::uint64_t offset = 0;
  };
  static std::string directory(std::span<const Entry> entries);
  std::string header(std::uint64_t root_bytes, std::uint64_t leaves_at, std::uint64_t leaves_bytes,
                     std::uint64_t metadata_at, std::uint64_t metadata_bytes) const;

  base::UnfinishedFile unfinished_;
  base::PosixFile file_;
  base::Replace replace_;
  int zooms_;
  std::string metadata_;
  std::uint64_t end_;  ///< of the tiles so far
  std::uint64_t addressed_ = 0;
  std::vector<Entry> entries_;
  /// Offsets by two hashes and the size.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Known> known_;
};

}  // namespace tessera::store
