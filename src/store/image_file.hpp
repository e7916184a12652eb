// The HDF5 file of an image (docs/file-format.md): written as FILE.part, renamed when complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "base/geometry.hpp"
#include "job/render_job.hpp"

namespace tessera::store {

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct ImageHeader {
  base::ImageSize size_px;
  int tile_px = 0;
  std::vector<std::pair<job::Field, base::ElementType>> fields;
  int compress = 1;       ///< 0: datasets without filters; else shuffle + deflate in the pipeline
  Attributes attributes;  ///< the job's keys and the provenance, all as text
};

/// One row of /tiles.
struct TileRow {
  std::uint32_t row = 0;     ///< of the tile grid
  std::uint32_t column = 0;
  std::int32_t rank = -1;    ///< that computed it; -1 = not stored yet
  std::string device;        ///< at most 15 characters are kept
  double start_s = 0;        ///< since the start of the run
  double compute_s = 0;
  double encode_s = 0;
  std::uint64_t bytes = 0;       ///< of all its chunks, as stored
  std::uint64_t iterations = 0;  ///< sum of its counts
  std::uint32_t checksum = 0;    ///< CRC-32C of its chunks' bytes, in the order of the fields
};

/// One row of /timing.
struct TimingRow {
  std::int32_t rank = 0;
  std::string host;   ///< at most 63 characters are kept
  std::string stage;  ///< "compute", "encode", ...; at most 15 characters
  double seconds = 0;
};

/// Only one thread at a time, and while it lives no other HDF5 call in the process.
class ImageWriter {
 public:
  /// Creates `path`.part (replacing an old one). `tiles` rows are kept for the whole grid.
  ImageWriter(const std::string& path, const ImageHeader& header);
  /// Without finish(): closes and leaves the .part file, which says status = "unfinished".
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Chunk at (tile_row, tile_column) of a field, exactly these bytes.
  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask);
  void set_tile(const TileRow& row);
  /// Everything written so far reaches the file (not necessarily the disk).
  void flush();
  /// Writes /tiles, /timing and the closing attributes, syncs, renames to `path`.
  void finish(std::span<const TimingRow> timing, const Attributes& closing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads finished files and .part files, also while they are being written.
class ImageReader {
 public:
  /// missing error if there is no such file (names a .part beside it if there is one); usage error
  /// if it is not HDF5 or not one of ours (says what is lacking).
  explicit ImageReader(const std::string& path);
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  const ImageHeader& header() const;  ///< with all attributes of the file
  std::string attribute(const std::string& name) const;  ///< "" if there is none
  std::vector<TileRow> tiles() const;
  std::vector<TimingRow> timing() const;
  /// Stored bytes of a chunk into `bytes` (resized); false if the chunk is not there.
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where the unfinished form of `path` lives.
std::string part_path(const std::string& path);

}  // namespace tessera::store
