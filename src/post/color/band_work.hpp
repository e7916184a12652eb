// The bands of a picture: each lane reads and decompresses chunks, then colours, averages, filters
// and compresses their pixels.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "color/colorizer.hpp"
#include "color/distance_shade.hpp"
#include "color/light.hpp"
#include "color/pixel_format.hpp"
#include "farm/work.hpp"
#include "post/color/band_plan.hpp"
#include "post/color/chunk_reader.hpp"
#include "post/color/painter.hpp"
#include "post/color/shaded_reader.hpp"
#include "post/color/value_records.hpp"
#include "post/ordered_sink.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// What is read beside the values, and what it does to the colours.
struct Shading {
  job::PerField<ChunkReader*> beside;
  std::optional<color::DistanceShade> edge;
  std::optional<color::Light> light;
};

/// What a picture consists of.
struct BandContents {
  color::PixelFormat format;
  std::optional<store::ValueChannels> values;  ///< before the colours

  std::size_t pixel_bytes() const { return format.bytes() + (values ? values->bytes() : 0); }
};

class ColorWork : public farm::Work {
 public:
  /// `reader` is null, and `lanes` 0, on a rank that cannot read the file. plan_bands() gives the
  /// memory of a lane.
  ColorWork(ChunkReader* reader, color::Colorizer colorizer, const Shading& shading,
            const BandPlan& bands, const BandContents& contents, const store::PictureFormat& file,
            int lanes);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t band, int lane) override;

 private:
  friend class BandTask;
  struct Lane {
    Lane(const ShadedReader& reader, Painter with, const store::PictureFormat& file)
        : chunks(reader), encoder(file.make_encoder()), painter(std::move(with)) {}
    ShadedReader::Buffers chunks;
    std::unique_ptr<store::BandEncoder> encoder;
    Painter painter;
    base::Bytes rgb;  ///< the coloured band
    std::optional<ValueRecords> records;
    base::Bytes values;  ///< the records, and then the colours
  };
  void color_band(Lane& lane, std::int64_t band);

  std::optional<ShadedReader> reader_;  ///< unset without lanes
  BandPlan bands_;
  BandContents contents_;
  std::vector<Lane> lanes_;
};

/// Writes the bands from the top.
class BandSink : public OrderedSink {
 public:
  explicit BandSink(store::PictureWriter& picture) : picture_(picture) {}

 private:
  void put_next(const base::Bytes& band) override { picture_.put(band); }

  store::PictureWriter& picture_;
};

}  // namespace tessera::post
