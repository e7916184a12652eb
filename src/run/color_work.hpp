// Bands of a picture: chunks read, inflated, coloured, averaged, filtered and deflated.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "codec/chunk.hpp"
#include "codec/png_band.hpp"
#include "color/colorizer.hpp"
#include "plan/tile_grid.hpp"
#include "run/work.hpp"
#include "store/image_file.hpp"
#include "store/png_file.hpp"

namespace tessera::run {

/// How the picture is cut: bands of `rows` picture rows, each `scale` image rows high.
struct BandPlan {
  base::PixelRect region;  ///< of the image
  int scale = 1;
  std::int64_t rows = 64;  ///< picture rows a band

  base::ImageSize picture_px() const { return {region.width / scale, region.height / scale}; }
  std::int64_t count() const { return (picture_px().height + rows - 1) / rows; }
  std::int64_t rows_of(std::int64_t band) const {
    return std::min(rows, picture_px().height - band * rows);
  }
  /// Bytes that a worker needs for one band, without the chunk that it reads.
  std::size_t lane_memory_bytes() const;
};

class ColorWork : public Work {
 public:
  /// `lanes` = 0 on a rank that cannot read the file; `reader` may then be null.
  ColorWork(const store::ImageReader* reader, job::Field field, color::Colorizer colorizer,
            const BandPlan& bands, int lanes);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<Task> begin(std::int64_t band, int lane) override;

 private:
  friend class BandTask;
  struct Lane {
    explicit Lane(base::ElementType type) : decoder(type) {}
    codec::ChunkDecoder decoder;
    codec::PngBandEncoder encoder;
    base::Bytes stored, values, rgb, averaged;
  };
  void color_rows(Lane& lane, const base::PixelRect& rows);
  void read_chunk(Lane& lane, std::int64_t tile);

  const store::ImageReader* reader_;
  job::Field field_;
  color::Colorizer colorizer_;
  BandPlan bands_;
  plan::TileGrid tiles_;
  base::ElementType type_ = base::ElementType::u16;
  std::mutex reading_;  ///< HDF5 takes one thread at a time
  std::vector<Lane> lanes_;
};

/// Puts the bands in order and joins their streams.
class PngSink : public Sink {
 public:
  PngSink(store::PngWriter& png, std::int64_t bands);
  void put(Parcel parcel) override;

 private:
  store::PngWriter& png_;
  std::int64_t bands_;
  std::int64_t next_ = 0;
  std::uint32_t adler32_ = 1;
  std::map<std::int64_t, base::Bytes> early_;
};

}  // namespace tessera::run
