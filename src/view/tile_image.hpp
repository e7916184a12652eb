// The pictures of a map in a browser: squares of an image at a scale of 2^-level.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/lru_cache.hpp"
#include "job/image/color_job.hpp"
#include "view/colorizers.hpp"
#include "view/open_image.hpp"
#include "view/pyramid.hpp"

namespace tessera::view {

// crossed by: levels_go_on_until_the_image_is_in_one_picture
inline constexpr std::int64_t kTilePx = 256;

struct ChunkKey {
  std::uint64_t generation = 0;  ///< generation of the image
  job::Field field = job::Field::iterations;
  int level = 0;
  std::int64_t tile = 0;       ///< in row-major order
  std::uint32_t revision = 0;  ///< revision of its contents

  auto operator<=>(const ChunkKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};
/// Decoded chunks, of bounded bytes.
using ChunkCache = base::LruCache<ChunkKey, const base::Bytes>;

struct TilePlace {
  int level = 0;  ///< 0: full size; each further one is half as large
  std::int64_t x = 0, y = 0;
};

/// Number of levels, up to the one at which a single picture holds the whole image.
int levels_of(const base::ImageSize& image_px);

/// Columns and rows of pictures at a level.
base::ImageSize tiles_at(const base::ImageSize& image_px, int level);

/// Any thread may use it.
class TileImages {
 public:
  /// The smaller scales of the fields in a picture; null if they are not built yet.
  struct Scales {
    const Pyramid* values = nullptr;
    job::PerField<const Pyramid*> beside;  ///< of job::shading_fields() of the look
  };

  /// Keeps `cache_bytes` of decoded chunks.
  explicit TileImages(std::size_t cache_bytes);

  /// The PNG file of a place within the image, kTilePx wide and high. Pixels outside the image or
  /// not rendered yet are transparent. Levels 0 and 1 equal the output of `color`. The other levels
  /// average four values of the pyramid. Where the pyramid is null or not built yet, they show mean
  /// counts of tiles. Throws base::Error if a chunk is damaged. The image needs the
  /// fields of job::shading_fields() of the look. A look with `equalize` needs the histogram of the
  /// image.
  base::Bytes png(const OpenImage& image, const Scales& scales, const TilePlace& place,
                  const job::ColorJob& look, const Histogram* histogram = nullptr);
  /// The values of a tile of the file; null if it is not rendered yet. Throws HttpError 507 if
  /// memory is short.
  ChunkCache::Pointer chunk(const OpenImage& image, job::Field field, std::int64_t tile);

 private:
  class Painter;

  std::size_t cache_bytes_;
  ChunkCache chunks_;
  Colorizers colorizers_;
};

}  // namespace tessera::view
