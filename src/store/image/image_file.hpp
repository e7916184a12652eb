// The file of an image, whatever its format (store/image/formats.hpp): the parts that it has, and
// how it is written and read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "base/file/posix_file.hpp"
#include "base/geometry.hpp"
#include "job/render_job.hpp"

namespace tessera::store {

/// Of an image: 2^28 rows of /tiles are 17 GB.
inline constexpr std::int64_t kMostTiles = std::int64_t{1} << 28;

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct ImageHeader {
  base::ImageSize size_px;
  /// As read: the longer side of a chunk, which is the same grid also where a tile is larger than
  /// the image.
  int tile_px = 0;
  std::vector<std::pair<job::Field, base::ElementType>> fields;
  int compress = 1;       ///< 0: datasets without filters; else shuffle + deflate, 1..3
  Attributes attributes;  ///< the job's keys and the provenance, all as text

  /// Of every chunk, also at the right and lower edge, where encoders pad. A tile, but no larger
  /// than the image: HDF5 refuses larger chunks in a dataset of fixed size.
  base::ImageSize chunk_px() const {
    return {std::min<std::int64_t>(tile_px, size_px.width),
            std::min<std::int64_t>(tile_px, size_px.height)};
  }
  /// Columns and rows of the tile grid.
  base::ImageSize grid() const {
    return {(size_px.width + tile_px - 1) / tile_px, (size_px.height + tile_px - 1) / tile_px};
  }
};

/// One row of /tiles.
struct TileRow {
  std::uint32_t row = 0;  ///< of the tile grid
  std::uint32_t column = 0;
  std::int32_t rank = -1;  ///< that computed it; -1 = not stored yet
  std::string device;      ///< at most 15 characters are kept
  double start_s = 0;      ///< since the start of the run
  double compute_s = 0;    ///< stored as f32, as encode_s is
  double encode_s = 0;
  std::uint64_t bytes = 0;       ///< of all its chunks, as stored
  std::uint64_t iterations = 0;  ///< sum of its counts
  std::uint32_t checksum = 0;    ///< CRC-32C of its chunks' bytes, in the order of the fields
};

/// One row of /timing.
struct TimingRow {
  std::int32_t rank = 0;
  std::string host;          ///< at most 63 characters are kept
  std::string stage;         ///< "compute", "encode", ...; at most 15 characters
  std::int32_t workers = 0;  ///< worker threads of the rank
  double seconds = 0;        ///< summed over its threads
};

/// What an earlier run left of an image, as far as it is sound.
struct Leftover {
  std::vector<bool> stored;  ///< of each tile, tile rows first; empty if nothing is stored
  std::int64_t tiles = 0;    ///< how many those are
  std::int64_t damaged = 0;  ///< tiles that were stored, but are no longer what they were
  bool copied = false;       ///< HDF5's own index was not sound: what is stored is in a new file
};

/// What exists under the name of an image before it is rendered.
struct FoundImage {
  enum class What {
    nothing,
    unfinished,  ///< `path`.part of the same job
    complete,    ///< `path`, of the same job
    other        ///< something else, at the path `of`
  };
  What what = What::nothing;
  std::string at;      ///< the path that says so
  std::string detail;  ///< of `other`, for people: "holds another image"
};

/// An image that is written, as FILE.part until it is complete. Only one thread at a time, except
/// for sync(). A tile is stored once set_tile() has returned: nothing that ends the process can
/// then take it away, and after a sync() no power cut. Throws base::Error (failed) naming the file,
/// with the space left where a disk is full; after that only the destructor makes sense.
class ImageWriter {
 public:
  ImageWriter() = default;
  /// Without finish(): closes and leaves the .part file, for a later run to resume.
  virtual ~ImageWriter() = default;
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Chunk at (tile_row, tile_column) of a field, exactly these bytes. Chunks that skip the filters
  /// must have the size of a whole chunk.
  virtual void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                           std::span<const std::byte> bytes, std::uint32_t filter_mask) = 0;
  /// After the chunks of all fields.
  virtual void set_tile(const TileRow& row) = 0;
  /// Everything written so far reaches the file (not necessarily the disk), for readers to see.
  virtual void flush() = 0;
  /// All tiles that are stored now reach the disk. Any thread may call it at any time before
  /// finish().
  virtual void sync() = 0;
  /// Writes the rest of the tables, `closing` and status = "complete", syncs, and renames to the
  /// final name. Nothing else may be called afterwards.
  virtual void finish(std::span<const TimingRow> timing, const Attributes& closing) = 0;
};

/// A finished or unfinished image that is read, also while it is written or after its writer was
/// killed. Never changes a file. Shows a growing file as it was when it was opened, or later; open
/// it again to see more. One thread at a time.
class ImageReader {
 public:
  ImageReader() = default;
  virtual ~ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  virtual const std::string& path() const = 0;    ///< as it was given
  virtual const ImageHeader& header() const = 0;  ///< with all attributes of the file
  /// "" if there is none of that name.
  virtual std::string attribute(const std::string& name) const = 0;
  /// Calls visit(row) for every tile of the grid, tile rows first. Memory does not grow with the
  /// number of tiles.
  virtual void for_each_tile(const std::function<void(const TileRow&)>& visit) const = 0;
  virtual std::vector<TimingRow> timing() const = 0;
  /// Stored bytes of a chunk into `bytes` (resized); false if the chunk is not there. filter_mask
  /// is 0b11 (both skipped) for files without filters too.
  virtual bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                          std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const = 0;
};

using base::part_path;

}  // namespace tessera::store
