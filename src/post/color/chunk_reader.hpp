// Reads the tiles of one field of an image, for pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/geometry.hpp"
#include "codec/chunk.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// The field of --field, with its type; "" is smooth, if the image has it. Throws a missing error.
std::pair<job::Field, base::ElementType> choose_field(const store::ImageReader& reader,
                                                      const std::string& asked);

/// Any thread may use it, with buffers of its own.
class ChunkReader {
 public:
  struct Buffers {
    Buffers(const ChunkReader& reader);
    codec::ChunkDecoder decoder;
    base::Bytes stored, values;  ///< bytes of one chunk
    base::Bytes alongside;       ///< the chunk of another field, for the checksum of both
  };

  /// A complete file must have every tile.
  ChunkReader(const store::ImageReader& reader, job::Field field);

  base::ElementType type() const { return type_; }
  base::ImageSize chunk_px() const { return tiles_.chunk_px(); }

  /// The values of some pixels of one row, from (x, y) of the image on.
  struct Run {
    std::int64_t x = 0, y = 0;
    std::int64_t pixels = 0;
    const std::byte* values = nullptr;  ///< null if the tile is not rendered yet
  };
  /// Calls use(run) for all pixels of `part`, tile by tile. Throws a run error that names the tile
  /// if it is missing in a complete file, or damaged.
  void for_each_run(const base::PixelRect& part, Buffers& buffers,
                    const std::function<void(const Run&)>& use);

  /// The tiles that `part` touches, in the order of for_each_run().
  std::vector<std::int64_t> tiles_of(const base::PixelRect& part) const;
  /// for_each_run() of one tile.
  void for_each_run_of(std::int64_t tile, const base::PixelRect& part, Buffers& buffers,
                       const std::function<void(const Run&)>& use);

  /// Bytes of a pixel in the widest field beside the coloured one; 0 if there is none.
  static std::size_t widest_alongside(const store::ImageHeader& header, job::Field field);

  /// Reads a whole tile into buffers.values; false if it is not rendered yet. Throws as
  /// for_each_run() does.
  bool read(Buffers& buffers, std::int64_t tile);

 private:
  /// The error for a tile that cannot be used.
  base::Error damaged(std::int64_t tile, const std::string& why) const;
  bool is_sound(Buffers& buffers, std::int64_t tile);
  void read_checksums();
  void read_alongside(Buffers& buffers, job::Field field, std::int64_t tile);

  const store::ImageReader& reader_;
  job::Field field_;
  plan::TileGrid tiles_;
  bool complete_;
  base::ElementType type_ = base::ElementType::u16;
  std::mutex checking_;                   ///< guards the next two
  std::vector<std::uint32_t> checksums_;  ///< checksums of each tile; empty until a chunk needs one
  std::vector<bool> checked_;             ///< tiles whose checksums were found right
};

}  // namespace tessera::post
