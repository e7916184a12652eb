// How a picture is cut into bands of rows, and how --memory is shared out while they are coloured.
// Pure, so that a command can ask before it starts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/element.hpp"
#include "base/geometry.hpp"

namespace tessera::post {

/// Bands of `rows` picture rows, each `scale` image rows high.
struct BandPlan {
  base::PixelRect region;  ///< of the image
  int scale = 1;
  std::int64_t rows = 1;  ///< picture rows a band

  base::ImageSize picture_px() const { return {region.width / scale, region.height / scale}; }
  std::int64_t count() const { return (picture_px().height + rows - 1) / rows; }
  std::int64_t rows_of(std::int64_t band) const {
    return std::min(rows, picture_px().height - band * rows);
  }
  base::ImageSize size_of(std::int64_t band) const { return {picture_px().width, rows_of(band)}; }
  /// The part of the image that a band is made of.
  base::PixelRect source_of(std::int64_t band) const {
    return {region.x, region.y + band * rows * scale, picture_px().width * scale,
            rows_of(band) * scale};
  }
};

/// What a rank is to colour, and with what. `memory_bytes` is its --memory; both numbers of lanes
/// are 1 or more.
struct BandRequest {
  base::PixelRect region;  ///< of the image
  int scale = 1;
  base::ImageSize chunk_px;
  std::int64_t tiles = 0;  ///< of the image, each with a checksum
  base::ElementType type = base::ElementType::u16;
  std::size_t alongside_bytes =
      0;  ///< a pixel of another field, whose chunk is read for a checksum
  std::uint64_t memory_bytes = 0;
  int lanes = 1;         ///< worker threads that this rank has
  int lanes_of_all = 1;  ///< those of all ranks together
};

struct BandBudget {
  std::int64_t rows = 0;          ///< picture rows a band
  int lanes = 0;                  ///< worker threads that fit, 1 to those asked for
  std::int64_t window = 0;        ///< bands that may be handed out beyond the first unfinished one
  std::uint64_t fixed_bytes = 0;  ///< program, libraries, the schedule's tables
  std::uint64_t lanes_bytes = 0;  ///< chunks and bands in the making
  std::uint64_t queue_bytes = 0;  ///< bands in the outbox or the inbox
  std::uint64_t early_bytes = 0;  ///< bands that wait on the gather rank for those before them

  /// A queue is filled, packed into a message and received.
  static constexpr std::uint64_t kCopiesOnTheWay = 3;

  std::uint64_t total_bytes() const {
    return fixed_bytes + lanes_bytes + kCopiesOnTheWay * queue_bytes + early_bytes;
  }
};

/// The height of bands and the number of lanes with which the picture is soonest done within the
/// memory. Usage error that names --memory, and what would do, when one lane with a band of one row
/// does not fit.
BandBudget plan_bands(const BandRequest& request);

/// The same when the height of the bands is settled, by another rank for instance.
BandBudget plan_bands(const BandRequest& request, std::int64_t rows);

}  // namespace tessera::post
