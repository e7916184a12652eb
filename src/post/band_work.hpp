// The bands of a picture: each lane reads and decompresses chunks, then colours, averages, filters
// and compresses their pixels.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "codec/chunk.hpp"
#include "codec/png_band.hpp"
#include "color/box_average.hpp"
#include "color/colorizer.hpp"
#include "farm/work.hpp"
#include "plan/tile_grid.hpp"
#include "post/band_plan.hpp"
#include "store/image/image_file.hpp"
#include "store/png/png_file.hpp"

namespace tessera::post {

class ColorWork : public farm::Work {
 public:
  /// `lanes` = 0 on a rank that cannot read the file; `reader` may then be null. plan_bands() gives
  /// the memory of a lane.
  ColorWork(const store::ImageReader* reader, job::Field field, color::Colorizer colorizer,
            const BandPlan& bands, int lanes);

  /// Bytes of a pixel in the widest field beside the coloured one; 0 if there is none.
  static std::size_t widest_alongside(const store::ImageHeader& header, job::Field field);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t band, int lane) override;

 private:
  friend class BandTask;
  struct Lane {
    Lane(base::ElementType type, int scale) : decoder(type), average(scale) {}
    codec::ChunkDecoder decoder;
    codec::PngBandEncoder encoder;
    color::BoxAverage average;
    base::Bytes stored, values;  ///< of one chunk
    base::Bytes alongside;       ///< the chunk of another field, for the checksum of both
    base::Bytes row;             ///< a coloured row of a tile; only when pixels are averaged
    base::Bytes rgb;             ///< the coloured band
  };
  void color_band(Lane& lane, std::int64_t band);
  void color_chunk(Lane& lane, std::int64_t tile, const base::PixelRect& source);
  /// The error for a tile that cannot be coloured.
  base::Error damaged(std::int64_t tile, const std::string& why) const;
  void read_chunk(Lane& lane, std::int64_t tile);
  bool is_sound(Lane& lane, std::int64_t tile);
  void read_checksums();
  void read_alongside(Lane& lane, job::Field field, std::int64_t tile);

  const store::ImageReader* reader_;
  job::Field field_;
  color::Colorizer colorizer_;
  BandPlan bands_;
  plan::TileGrid tiles_;
  base::ElementType type_ = base::ElementType::u16;
  std::mutex checking_;                   ///< guards the next two
  std::vector<std::uint32_t> checksums_;  ///< of each tile; empty until a chunk needs one
  std::vector<bool> checked_;             ///< tiles whose checksums were found right
  std::vector<Lane> lanes_;
};

/// Puts the bands in order and joins their streams.
class PngSink : public farm::Sink {
 public:
  /// Writes the head of the stream.
  PngSink(store::PngWriter& png, std::int64_t bands);
  /// A band that arrives early waits for the bands before it; the window of the schedule bounds
  /// their number.
  void put(farm::ResultChunk result_chunk) override;

 private:
  store::PngWriter& png_;
  std::int64_t bands_;
  std::int64_t next_ = 0;
  std::uint32_t adler32_ = 1;
  std::map<std::int64_t, base::Bytes> early_;
};

}  // namespace tessera::post
