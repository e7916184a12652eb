#include "post/color/band_work.hpp"

#include <algorithm>

namespace tessera::post {

class BandTask : public farm::Task {
 public:
  BandTask(ColorWork& work, std::int64_t band, int lane)
      : work_(work), band_(band), lane_(work.lanes_[static_cast<std::size_t>(lane)]) {}

  int parts() const override { return 1; }

  void run_part(int, int) override { work_.color_band(lane_, band_); }

  void finish(int, const farm::SendResult& send_result) override {
    send_result({.item = band_,
                 .body = lane_.encoder->encode(lane_.rgb, work_.bands_.picture_px().width,
                                               work_.format_.bytes())});
  }

 private:
  ColorWork& work_;
  std::int64_t band_;
  ColorWork::Lane& lane_;
};

ColorWork::ColorWork(ChunkReader* reader, color::Colorizer colorizer,
                     std::optional<EdgeShading> edge, const BandPlan& bands,
                     const color::PixelFormat& format, const store::PictureFormat& file, int lanes)
    : reader_(reader),
      colorizer_(std::move(colorizer)),
      edge_(edge),
      bands_(bands),
      format_(format) {
  for (int i = 0; reader && i < lanes; ++i) {
    Lane& lane = lanes_.emplace_back(*reader, bands.scale, file);
    if (edge_) lane.distances.emplace(*edge_->distances);
    lane.row.resize(static_cast<std::size_t>(
        std::max(reader->chunk_px().width, bands.scale > 1 ? bands.picture_px().width : 0)));
  }
}

std::unique_ptr<farm::Task> ColorWork::begin(std::int64_t band, int lane) {
  return std::make_unique<BandTask>(*this, band, lane);
}

/// Dithering goes by the place in the image, so that a region is a part of the picture.
void ColorWork::store(std::span<const color::Pixel> pixels, Lane& lane, std::int64_t x,
                      std::int64_t y, const base::PixelRect& source) const {
  const std::int64_t width = bands_.picture_px().width;
  const auto to = static_cast<std::size_t>(y * width + x) * format_.bytes();
  color::store_pixels(format_, pixels, source.x / bands_.scale + x, source.y / bands_.scale + y,
                      lane.rgb.data() + to);
}

bool ColorWork::read_distances(Lane& lane, std::int64_t tile) const {
  return edge_ && edge_->distances->read(*lane.distances, tile);
}

void ColorWork::color_band(Lane& lane, std::int64_t band) {
  const base::PixelRect source = bands_.source_of(band);
  const base::ImageSize size = bands_.size_of(band);
  lane.rgb.resize(static_cast<std::size_t>(size.pixels()) * format_.bytes());
  if (bands_.scale > 1) lane.average.begin(size);
  const bool direct = bands_.scale == 1 && format_.bytes() == 3 && !format_.dither && !edge_;
  bool shades = false;
  const auto use = [&](const ChunkReader::Run& run) {
    if (direct && run.values) {
      const auto to = (run.y - source.y) * size.width + run.x - source.x;
      return colorizer_.colorize_rgb(run.values, reader_->type(),
                                     static_cast<std::size_t>(run.pixels),
                                     lane.rgb.data() + to * 3);
    }
    const auto row = std::span(lane.row).first(static_cast<std::size_t>(run.pixels));
    if (run.values) {
      colorizer_.colorize(run.values, reader_->type(), row);
      const auto first = static_cast<std::size_t>(run.values - lane.chunk.values.data()) /
                         base::element_bytes(reader_->type());
      if (shades) edge_->shade.shade(&lane.distances->values[first * sizeof(float)], row);
    } else {
      std::ranges::fill(row, color::Pixel{});
    }
    const std::int64_t x = run.x - source.x;
    const std::int64_t y = run.y - source.y;
    bands_.scale > 1 ? lane.average.add(y, x, row) : store(row, lane, x, y, source);
  };
  for (const std::int64_t tile : reader_->tiles_of(source)) {
    shades = read_distances(lane, tile);
    reader_->for_each_run_of(tile, source, lane.chunk, use);
  }
  for (std::int64_t y = 0; bands_.scale > 1 && y < size.height; ++y) {
    const auto row = std::span(lane.row).first(static_cast<std::size_t>(size.width));
    lane.average.finish(y, row);
    store(row, lane, 0, y, source);
  }
}

void BandSink::put(farm::ResultChunk result_chunk) {
  early_[result_chunk.item] = std::move(result_chunk.body);
  for (auto band = early_.find(next_); band != early_.end(); band = early_.find(next_)) {
    picture_.put(band->second);
    early_.erase(band);
    ++next_;
  }
}

}  // namespace tessera::post
