// The HDF5 file of an image (docs/file-format.md): written as FILE.part, renamed when complete.
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

/// Most tiles of an image: 2^28 rows of /tiles are 17 GB.
inline constexpr std::int64_t kMostTiles = std::int64_t{1} << 28;

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct ImageHeader {
  base::ImageSize size_px;
  /// In a header that was read: the longer side of a chunk, which gives the same grid even if a
  /// tile is larger than the image.
  int tile_px = 0;
  std::vector<std::pair<job::Field, base::ElementType>> fields;
  int compress = 1;       ///< 0: datasets without filters; else shuffle + deflate, 1..3
  Attributes attributes;  ///< the job's keys and the provenance, as text

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
  std::uint32_t row = 0;  ///< of the tile grid
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

struct ImageState;

/// Writes an image. Only one thread may use it at a time, and while it exists the process must not
/// make other HDF5 calls. The .part file can be read while it is written (HDF5's SWMR mode);
/// readers see the state of the last flush() or a later one. A tile is stored once set_tile()
/// returns: no end of the process can lose it, and after a sync() no power cut can. Members throw
/// base::Error (failed) naming the file, and the free space if the disk is full; after an error,
/// only the destructor may be called.
class ImageWriter {
 public:
  /// Creates `path`.part (replacing an old one), with a row of /tiles for every tile, and its log.
  /// Throws a usage error for a grid of more than kMostTiles tiles, and if another process is
  /// writing it. `replace` says whether an existing `path` may be replaced. If not, and `path`
  /// exists now, throws base::NameTaken, because no other run can finish it any more; if it exists
  /// at finish(), that throws a usage error.
  ImageWriter(const std::string& path, const ImageHeader& header,
              base::Replace replace = base::Replace::nothing);
  /// Resumes with the `path`.part that an earlier run with the same header left, however that run
  /// ended, and sets `leftover` to the stored tiles. Starts from scratch if nothing is usable.
  /// Checks every stored byte. Throws a usage error if another process is writing it, and stopped
  /// if a stop was requested.
  ImageWriter(const std::string& path, const ImageHeader& header, Leftover& leftover,
              base::Replace replace = base::Replace::nothing);
  /// Without finish(): closes and keeps the .part file, with status = "unfinished".
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Writes the chunk at (tile_row, tile_column) of a field, exactly these bytes. A chunk that
  /// skips the filters must have the size of a whole chunk.
  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask);
  /// Stores the tile, after the chunks of all fields.
  void set_tile(const TileRow& row);
  /// Makes everything written so far visible to readers; it need not be on disk.
  void flush();
  /// Syncs all tiles that are stored now to disk. Any thread may call it at any time before
  /// finish().
  void sync();
  /// Writes the rest of /tiles, /timing, `closing` and status = "complete", syncs, renames to
  /// `path`, and removes the log. No other member may be called afterwards.
  void finish(std::span<const TimingRow> timing, const Attributes& closing);

 private:
  bool name_is_taken() const;
  [[noreturn]] void refuse(std::int64_t stored_tiles);

  std::unique_ptr<ImageState> state_;
  base::Replace replace_;
};

/// Describes the files that exist under an image's name before it is rendered.
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

/// `fingerprint`: value of that attribute. Throws a usage error if another process is writing the
/// image.
FoundImage find_image(const std::string& path, const std::string& fingerprint);

/// The number of tiles in the log of an unfinished image; nothing if `part` has no valid log.
std::optional<std::int64_t> logged_tiles(const std::string& part);

/// Removes the files that an unfinished run left.
void remove_unfinished(const std::string& path);

/// Reads finished files and .part files, also while they are written or after their writer was
/// killed. Never changes a file. Shows a growing file as it was when it was opened, or later; open
/// it again to see new tiles. Tiles that HDF5 does not know (yet) are taken from the log. Only one
/// thread may use it at a time.
class ImageReader {
 public:
  /// Throws a missing error if there is no such file (naming a .part beside it, if there is one),
  /// and a usage error if it is not HDF5 or not a Tessera image (naming the missing part).
  explicit ImageReader(const std::string& path);
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  const std::string& path() const;                       ///< as it was given
  const ImageHeader& header() const;                     ///< with all attributes of the file
  std::string attribute(const std::string& name) const;  ///< "" if there is none
  /// Calls visit(row) for every row of /tiles, in the row-major order of the grid. Memory does not
  /// grow with the table.
  void for_each_tile(const std::function<void(const TileRow&)>& visit) const;
  std::vector<TimingRow> timing() const;
  /// Reads the stored bytes of a chunk into `bytes` (resized); false if the chunk is not there. For
  /// files without filters, filter_mask is 0b11 (both skipped) too.
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using base::part_path;

}  // namespace tessera::store
