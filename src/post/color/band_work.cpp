#include "post/color/band_work.hpp"

#include <utility>

namespace tessera::post {

class BandTask : public farm::Task {
 public:
  BandTask(ColorWork& work, std::int64_t band, int lane)
      : work_(work), band_(band), lane_(work.lanes_[static_cast<std::size_t>(lane)]) {}

  int parts() const override { return 1; }

  void run_part(int, int) override { work_.color_band(lane_, band_); }

  void finish(int, const farm::SendResult& send_result) override {
    const auto& rows = lane_.records ? lane_.values : lane_.rgb;
    send_result({.item = band_,
                 .body = lane_.encoder->encode(rows, work_.bands_.picture_px().width,
                                               work_.contents_.pixel_bytes())});
  }

 private:
  ColorWork& work_;
  std::int64_t band_;
  ColorWork::Lane& lane_;
};

ColorWork::ColorWork(ChunkReader* reader, color::Colorizer colorizer, const Shading& shading,
                     const BandPlan& bands, const BandContents& contents,
                     const store::PictureFormat& file, int lanes)
    : reader_(reader), beside_(shading.beside), bands_(bands), contents_(contents) {
  const auto colors = std::make_shared<const color::Colorizer>(std::move(colorizer));
  for (int i = 0; reader && i < lanes; ++i) {
    Painter painter(colors, shading.edge, contents.format, bands.scale, reader->type(),
                    shading.light);
    Lane& lane = lanes_.emplace_back(*reader, std::move(painter), file);
    for (const job::Field field : job::kMoreFields) {
      if (beside_[field]) lane.beside[field].emplace(*beside_[field]);
    }
    if (contents.values) lane.records.emplace(*contents.values, reader->type());
  }
}

std::unique_ptr<farm::Task> ColorWork::begin(std::int64_t band, int lane) {
  return std::make_unique<BandTask>(*this, band, lane);
}

job::PerField<const std::byte*> ColorWork::read_beside(Lane& lane, std::int64_t tile) const {
  job::PerField<const std::byte*> values;
  for (const job::Field field : job::kMoreFields) {
    std::optional<ChunkReader::Buffers>& buffers = lane.beside[field];
    if (buffers && beside_[field]->read(*buffers, tile)) values[field] = buffers->values.data();
  }
  return values;
}

/// Dithering goes by the place in the image, so that a region is a part of the picture.
void ColorWork::color_band(Lane& lane, std::int64_t band) {
  const base::PixelRect source = bands_.source_of(band);
  lane.painter.begin(bands_.size_of(band), source.x / bands_.scale, source.y / bands_.scale,
                     lane.rgb);
  if (lane.records) lane.records->begin(bands_.size_of(band), lane.values);
  job::PerField<const std::byte*> beside;
  const auto use = [&](const ChunkReader::Run& run) {
    ValueRun values{.x = run.x - source.x,
                    .y = run.y - source.y,
                    .pixels = static_cast<std::size_t>(run.pixels),
                    .values = run.values};
    for (const job::Field field : job::kMoreFields) {
      if (!beside[field] || !run.values) continue;
      const auto first = static_cast<std::size_t>(run.values - lane.chunk.values.data()) /
                         base::element_bytes(reader_->type());
      values.beside[field] = beside[field] + first * sizeof(float);
    }
    lane.painter.put(values);
    if (lane.records) lane.records->put(values);
  };
  for (const std::int64_t tile : reader_->tiles_of(source)) {
    beside = read_beside(lane, tile);
    reader_->for_each_run_of(tile, source, lane.chunk, use);
  }
  lane.painter.finish();
  if (lane.records) lane.values.insert(lane.values.end(), lane.rgb.begin(), lane.rgb.end());
}

}  // namespace tessera::post
