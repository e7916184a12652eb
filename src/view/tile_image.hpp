// The pictures that a map in a browser is made of: squares of an image at a scale of 2^-level.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "job/image/color_job.hpp"
#include "view/chunk_cache.hpp"
#include "view/colorizers.hpp"
#include "view/open_image.hpp"
#include "view/pyramid.hpp"

namespace tessera::view {

inline constexpr std::int64_t kTilePx = 256;

struct TilePlace {
  int level = 0;  ///< 0: full size; each further one is half as large
  std::int64_t x = 0, y = 0;
};

/// Levels until the whole image is within one picture.
int levels_of(const base::ImageSize& image_px);

/// Columns and rows of pictures at a level.
base::ImageSize tiles_at(const base::ImageSize& image_px, int level);

/// Any thread may use it.
class TileImages {
 public:
  /// The smaller scales of what a picture shows; null if they are not built yet.
  struct Scales {
    const Pyramid* values = nullptr;
    const Pyramid* distances = nullptr;  ///< if the look has a distance
  };

  /// Keeps `cache_bytes` of decoded chunks.
  explicit TileImages(std::size_t cache_bytes);

  /// The PNG file of a place within the image, kTilePx wide and high. Pixels outside the image or
  /// not rendered yet are transparent. Levels 0 and 1 are exactly as `color` makes them; the others
  /// average four values of the pyramid, or show the mean counts of tiles where it is not built
  /// yet or null. Throws base::Error if a chunk is damaged. A look with a distance is for images
  /// with that field. A look with `equalize` has the histogram of the image.
  base::Bytes png(const OpenImage& image, const Scales& scales, const TilePlace& place,
                  const job::ColorJob& look, const Histogram* histogram = nullptr);
  /// The values of a tile of the file; null if it is not rendered yet. Throws HttpError 507 if it
  /// needs more memory than there is.
  ChunkCache::Values chunk(const OpenImage& image, job::Field field, std::int64_t tile);

 private:
  class Painter;

  std::size_t cache_bytes_;
  ChunkCache chunks_;
  Colorizers colorizers_;
};

}  // namespace tessera::view
