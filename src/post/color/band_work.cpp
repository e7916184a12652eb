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
    : bands_(bands), contents_(contents) {
  if (!reader) return;
  reader_.emplace(*reader, shading.beside);
  const auto colors = std::make_shared<const color::Colorizer>(std::move(colorizer));
  for (int i = 0; i < lanes; ++i) {
    Painter painter(colors, shading.edge, contents.format, bands.scale, reader->type(),
                    shading.light);
    Lane& lane = lanes_.emplace_back(*reader_, std::move(painter), file);
    if (contents.values) lane.records.emplace(*contents.values, reader->type());
  }
}

std::unique_ptr<farm::Task> ColorWork::begin(std::int64_t band, int lane) {
  return std::make_unique<BandTask>(*this, band, lane);
}

/// Dithering goes by the place in the image, so that a region is a part of the picture.
void ColorWork::color_band(Lane& lane, std::int64_t band) {
  const base::PixelRect source = bands_.source_of(band);
  lane.painter.begin(bands_.size_of(band), source.x / bands_.scale, source.y / bands_.scale,
                     lane.rgb);
  if (lane.records) lane.records->begin(bands_.size_of(band), lane.values);
  reader_->for_each_run(source, lane.chunks, [&](ValueRun run) {
    run.x -= source.x;
    run.y -= source.y;
    lane.painter.put(run);
    if (lane.records) lane.records->put(run);
  });
  lane.painter.finish();
  if (lane.records) lane.values.insert(lane.values.end(), lane.rgb.begin(), lane.rgb.end());
}

}  // namespace tessera::post
