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
#include "base/geometry.hpp"
#include "base/file/posix_file.hpp"
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

struct ImageState;

/// Only one thread at a time, and while it lives no other HDF5 call in the process. The .part file
/// can be read while it is written (HDF5's single writer, many readers mode); what readers see is
/// the state of the last flush() or later. A tile is stored once set_tile() has returned: nothing
/// that ends the process can then take it away, and after a sync() no power cut. Throws base::Error
/// (failed) naming the file, with the space left where a disk is full; after that only the
/// destructor makes sense.
class ImageWriter {
 public:
  /// Creates `path`.part (replacing an old one) with a row of /tiles for the whole grid, and its
  /// log. Usage error for a grid of more than kMostTiles tiles, and if another process writes it.
  /// `replace` says what may become of a file called `path`. Where it must stay:
  /// base::NameTaken if it is there now, as no other run can finish it any more; a usage error if
  /// it is there at finish().
  ImageWriter(const std::string& path, const ImageHeader& header,
              base::Replace replace = base::Replace::nothing);
  /// Goes on with the `path`.part that an earlier run with the same header left, whatever ended
  /// that, and tells what is in it; begins anew if there is nothing to go on with. Checks every
  /// stored byte. Usage error if another process writes it; stopped if that was requested.
  ImageWriter(const std::string& path, const ImageHeader& header, Leftover& leftover,
              base::Replace replace = base::Replace::nothing);
  /// Without finish(): closes and leaves the .part file, which says status = "unfinished".
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Chunk at (tile_row, tile_column) of a field, exactly these bytes. Chunks that skip the filters
  /// must have the size of a whole chunk.
  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask);
  /// After the chunks of all fields.
  void set_tile(const TileRow& row);
  /// Everything written so far reaches the file (not necessarily the disk), for readers to see.
  void flush();
  /// All tiles that are stored now reach the disk. Any thread may call it at any time before
  /// finish().
  void sync();
  /// Writes the rest of /tiles, /timing, `closing` and status = "complete", syncs, renames to
  /// `path`, removes the log. Nothing else may be called afterwards.
  void finish(std::span<const TimingRow> timing, const Attributes& closing);

 private:
  bool name_is_taken() const;
  [[noreturn]] void refuse(std::int64_t stored_tiles);

  std::unique_ptr<ImageState> state_;
  base::Replace replace_;
};

/// What there is under the name of an image before it is rendered.
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

/// `fingerprint`: as the attribute of that name. Usage error if another process writes it.
FoundImage find_image(const std::string& path, const std::string& fingerprint);

/// Tiles that the log of an unfinished image has, or nothing if `part` has no sound log.
std::optional<std::int64_t> logged_tiles(const std::string& part);

/// Removes what an unfinished run left.
void remove_unfinished(const std::string& path);

/// Reads finished files and .part files, also while they are being written or after their writer
/// was killed, and never changes one. Shows a growing file as it was when it was opened, or later;
/// open it again for news. What HDF5 does not know yet, or never got to know, it takes from the
/// log. One thread at a time.
class ImageReader {
 public:
  /// missing error if there is no such file (names a .part beside it if there is one); usage error
  /// if it is not HDF5 or not one of ours (says what is lacking).
  explicit ImageReader(const std::string& path);
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  const std::string& path() const;                       ///< as it was given
  const ImageHeader& header() const;                     ///< with all attributes of the file
  std::string attribute(const std::string& name) const;  ///< "" if there is none
  /// Calls visit(row) for every row of /tiles in the file's order, which is the grid's: tile rows
  /// first. Memory does not grow with the table.
  void for_each_tile(const std::function<void(const TileRow&)>& visit) const;
  std::vector<TimingRow> timing() const;
  /// Stored bytes of a chunk into `bytes` (resized); false if the chunk is not there. filter_mask
  /// is 0b11 (both skipped) for files without filters too.
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using base::part_path;

}  // namespace tessera::store
