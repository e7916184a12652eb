// The parts of an image file, and the interfaces that write and read it, for every format
// (store/image/formats.hpp).
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
#include "job/image/render_job.hpp"

namespace tessera::store {

/// Most tiles of an image: 2^28 rows of /tiles are 17 GB.
// crossed by: knows_how_many_tiles_an_image_may_have, a_grid_of_too_many_tiles_is_refused
inline constexpr std::int64_t kMaxTiles = std::int64_t{1} << 28;

/// A fact about a file. The text of a number is the shortest one that reads back to it.
struct Attribute {
  enum class Type { text, integer, real };  ///< in HDF5: string of fixed length, i64, f64
  std::string name;
  std::string text;
  Type type = Type::text;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};
using Attributes = std::vector<Attribute>;

/// The coordinates of the pixels along a side of an image.
struct Axis {
  double center = 0;  ///< center of the image
  double step = 0;    ///< from a pixel to the next; 0 = not known

  /// As the devices compute it (docs/numerics.md).
  double at(std::int64_t pixel, std::int64_t pixels) const;
  /// Those of all pixels; empty if they are not known.
  std::vector<double> all(std::int64_t pixels) const;
};

struct ImageHeader {
  base::ImageSize size_px;
  /// In a header that was read: the longer side of a chunk, which gives the same grid even if a
  /// tile is larger than the image.
  int tile_px = 0;
  std::vector<std::pair<job::Field, base::ElementType>> fields;
  int compress = 1;       ///< 0: datasets without filters; else shuffle + deflate, 1..3
  Axis re;                ///< axis of columns, for the writer; none if f64 cannot tell them apart
  Axis im;                ///< axis of rows, for the writer
  Attributes attributes;  ///< the keys of the job that describe the image, and the provenance

  /// Extents of every chunk; encoders pad the chunks at the right and lower edges. A chunk is a
  /// tile, but no larger than the image: HDF5 refuses larger chunks in a dataset of fixed size.
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
  std::uint32_t row = 0;  ///< row of the tile grid
  std::uint32_t column = 0;
  std::int32_t rank = -1;  ///< that computed it; -1 = not stored yet
  std::string device;      ///< at most 15 characters are kept
  double start_s = 0;      ///< since the start of the run
  double compute_s = 0;    ///< stored as f32, as encode_s is
  double encode_s = 0;
  std::uint64_t bytes = 0;       ///< stored size of all its chunks
  std::uint64_t iterations = 0;  ///< sum of the iteration counts of its pixels
  std::uint32_t checksum = 0;    ///< CRC-32C of its chunks' bytes, in the order of the fields
};

/// One row of /timing.
struct TimingRow {
  std::int32_t rank = 0;
  std::string host;          ///< at most 63 characters are kept
  std::string stage;         ///< "compute", "encode", ...; at most 15 characters
  std::int32_t workers = 0;  ///< worker threads of the rank
  double seconds = 0;        ///< summed over the rank's threads
};

/// The valid tiles that an earlier run left.
struct Leftover {
  std::vector<bool> stored;  ///< for each tile, in row-major order; empty if nothing is stored
  std::int64_t tiles = 0;    ///< how many are stored
  std::int64_t damaged = 0;  ///< tiles that were stored, but whose bytes are damaged
  bool copied = false;       ///< HDF5's index was damaged, so the tiles were copied to a new file
};

/// The files under an image's name before it is rendered.
struct ImageOnDisk {
  enum class State {
    nothing,
    unfinished,  ///< `path`.part
    complete,    ///< `path`
    stray,       ///< an unfinished image without .part
    foreign      ///< no image of Tessera
  };
  State state = State::nothing;
  std::string at;           ///< the file that was found
  std::string fingerprint;  ///< fingerprint of the image
  std::string detail;       ///< message about a foreign file, such as "is in the way"
};

/// These files as a job sees them.
struct FoundImage {
  enum class What {
    nothing,
    unfinished,  ///< `path`.part of the same job
    complete,    ///< `path`, of the same job
    other        ///< something else, at the path `at`
  };
  What what = What::nothing;
  std::string at;      ///< the file that was found
  std::string detail;  ///< for `other`: a message such as "holds another image"
};

/// Writes an image as FILE.part until it is complete. Only one thread may use it at a time, except
/// for sync(). A tile is stored once set_tile() returns: no end of the process can lose it, and
/// after a sync() no power cut can. Members throw base::Error (failed) naming the file, and the
/// free space if the disk is full; after an error, only the destructor may be called.
class ImageWriter {
 public:
  ImageWriter() = default;
  /// Without finish(): closes and keeps the .part file for a later run.
  virtual ~ImageWriter() = default;
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Writes the chunk at (tile_row, tile_column) of a field, exactly these bytes. A chunk that
  /// skips the filters must have the size of a whole chunk.
  virtual void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                           std::span<const std::byte> bytes, std::uint32_t filter_mask) = 0;
  /// Stores the tile, after the chunks of all fields.
  virtual void set_tile(const TileRow& row) = 0;
  /// Makes everything written so far visible to readers; it need not be on disk.
  virtual void flush() = 0;
  /// Syncs all tiles that are stored now to disk. Any thread may call it at any time before
  /// finish().
  virtual void sync() = 0;
  /// Instead of finish(), for a job that has all of its share "K/N" of the tiles: sets status =
  /// "share K/N" and syncs. The .part file stays, as an input of merge.
  virtual void end_share(const std::string& share) = 0;
  /// Instead of finish(), for one of the parts of an image, `part` "K/N", that has all of its
  /// tiles: sets status = "part K/N", syncs, and renames to the final name.
  virtual void end_part(const std::string& part) = 0;
  /// Writes the rest of the tables, `closing` and status = "complete", syncs, and renames to the
  /// final name. No other member may be called afterwards.
  virtual void finish(std::span<const TimingRow> timing, const Attributes& closing) = 0;
};

/// Reads a finished or unfinished image, also while it is written or after its writer was killed.
/// Never changes a file. Shows a growing file as it was when it was opened, or later; open it again
/// to see more. Any thread may use it.
class ImageReader {
 public:
  ImageReader() = default;
  virtual ~ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  virtual const std::string& path() const = 0;    ///< as it was given
  virtual const ImageHeader& header() const = 0;  ///< with all attributes of the file
  /// "" if there is no attribute of that name.
  virtual std::string attribute(const std::string& name) const = 0;
  /// Calls visit(row) for every tile of the grid, in row-major order. Memory does not grow with the
  /// number of tiles.
  virtual void for_each_tile(const std::function<void(const TileRow&)>& visit) const = 0;
  virtual std::vector<TimingRow> timing() const = 0;
  /// Reads the stored bytes of a chunk into `bytes` (resized); false if the chunk is not there. For
  /// files without filters, filter_mask is 0b11 (both skipped) too.
  virtual bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                          std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const = 0;
};

using base::part_path;

}  // namespace tessera::store
