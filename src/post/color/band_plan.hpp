// Divides a picture into bands of rows, and --memory among the stages of colouring. Pure, so that a
// command can call it before it starts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/element.hpp"
#include "base/geometry.hpp"
#include "job/memory.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// Bands of `rows` picture rows, each `scale` image rows high.
struct BandPlan {
  base::PixelRect region;  ///< region of the image
  int scale = 1;
  std::int64_t rows = 1;  ///< picture rows per band

  base::ImageSize picture_px() const { return {region.width / scale, region.height / scale}; }
  std::int64_t count() const { return (picture_px().height + rows - 1) / rows; }
  std::int64_t rows_of(std::int64_t band) const {
    return std::min(rows, picture_px().height - band * rows);
  }
  base::ImageSize size_of(std::int64_t band) const { return {picture_px().width, rows_of(band)}; }
  /// The part of the image that a band shows.
  base::PixelRect source_of(std::int64_t band) const {
    return {region.x, region.y + band * rows * scale, picture_px().width * scale,
            rows_of(band) * scale};
  }
};

/// The picture, and the resources of a rank. `memory_bytes` is its --memory. Both numbers of lanes
/// are 1 or more.
struct BandRequest {
  base::PixelRect region;  ///< region of the image
  int scale = 1;
  base::ImageSize chunk_px;
  std::int64_t tiles = 0;  ///< tiles of the image, each with a checksum
  base::ElementType type = base::ElementType::u16;
  std::size_t pixel_bytes = 3;  ///< bytes of a pixel of the picture
  const store::PictureFormat* file = store::picture_formats().data();  ///< its format
  std::size_t alongside_bytes =
      0;           ///< bytes per pixel of another field whose chunk is read for the checksum
  int beside = 0;  ///< chunks of f32 that are read beside each
  std::uint64_t memory_bytes = 0;
  int lanes = 1;         ///< worker threads of this rank
  int lanes_of_all = 1;  ///< worker threads of all ranks
};

struct BandBudget {
  std::int64_t rows = 0;          ///< picture rows per band
  int lanes = 0;                  ///< worker threads that fit: 1 to BandRequest::lanes
  std::int64_t window = 0;        ///< bands that may be handed out beyond the first unfinished one
  std::uint64_t fixed_bytes = 0;  ///< program, libraries, the schedule's tables
  std::uint64_t lanes_bytes = 0;  ///< chunks and bands under work
  std::uint64_t queue_bytes = 0;  ///< bands in the outbox or the inbox
  std::uint64_t early_bytes = 0;  ///< bands that wait on the gather rank for earlier bands

  std::uint64_t total_bytes() const {
    return fixed_bytes + lanes_bytes + job::kCopiesOnTheWay * queue_bytes + early_bytes;
  }
};

/// The height of bands and the number of lanes with the shortest predicted time within the memory.
/// Throws a usage error that names --memory and a sufficient value if one lane with a band of one
/// row does not fit.
BandBudget plan_bands(const BandRequest& request);

/// The same for a fixed height of the bands, for example one that another rank has chosen.
BandBudget plan_bands(const BandRequest& request, std::int64_t rows);

}  // namespace tessera::post
