#include "run/color_work.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera::run {

std::size_t BandPlan::lane_memory_bytes() const {
  const auto width = static_cast<std::size_t>(region.width);
  const std::size_t source = width * 3 * static_cast<std::size_t>(rows * scale);
  const std::size_t picture =
      static_cast<std::size_t>(picture_px().width) * 3 * static_cast<std::size_t>(rows);
  return source + (scale == 1 ? 0 : picture) + codec::PngBandEncoder::memory_bytes(picture);
}

class BandTask : public Task {
 public:
  BandTask(ColorWork& work, std::int64_t band, int lane)
      : work_(work), band_(band), lane_(work.lanes_[static_cast<std::size_t>(lane)]) {}

  int parts() const override { return 1; }

  void run_part(int, int) override {
    const BandPlan& bands = work_.bands_;
    const base::PixelRect source{bands.region.x, bands.region.y + band_ * bands.rows * bands.scale,
                                 bands.picture_px().width * bands.scale,
                                 bands.rows_of(band_) * bands.scale};
    lane_.rgb.resize(static_cast<std::size_t>(source.pixels()) * 3);
    work_.color_rows(lane_, source);
    if (bands.scale == 1) return;
    lane_.averaged.resize(static_cast<std::size_t>(source.pixels()) * 3 /
                          static_cast<std::size_t>(bands.scale) /
                          static_cast<std::size_t>(bands.scale));
    color::box_average(lane_.rgb, source.width, bands.scale, lane_.averaged);
  }

  void finish(int, const Emit& emit) override {
    const BandPlan& bands = work_.bands_;
    const base::Bytes& rgb = bands.scale == 1 ? lane_.rgb : lane_.averaged;
    const codec::PngBand band = lane_.encoder.encode(rgb, bands.picture_px().width);
    base::ByteWriter body;
    body.reserve(band.deflated.size() + 16);
    body.put(band.adler32).put(band.filtered_bytes).put_bytes(band.deflated);
    emit({.item = band_, .body = body.take()});
  }

 private:
  ColorWork& work_;
  std::int64_t band_;
  ColorWork::Lane& lane_;
};

ColorWork::ColorWork(const store::ImageReader* reader, job::Field field, color::Colorizer colorizer,
                     const BandPlan& bands, int lanes)
    : reader_(reader), field_(field), colorizer_(std::move(colorizer)), bands_(bands) {
  if (!reader) return;
  const store::ImageHeader& header = reader->header();
  tiles_ = {header.size_px, header.tile_px};
  for (const auto& [name, type] : header.fields) {
    if (name == field) type_ = type;
  }
  for (int i = 0; i < lanes; ++i) {
    Lane& lane = lanes_.emplace_back(type_);
    lane.values.resize(static_cast<std::size_t>(tiles_.chunk_px().pixels()) *
                       base::element_bytes(type_));
  }
}

std::unique_ptr<Task> ColorWork::begin(std::int64_t band, int lane) {
  return std::make_unique<BandTask>(*this, band, lane);
}

void ColorWork::read_chunk(Lane& lane, std::int64_t tile) {
  const std::int64_t row = tiles_.row_of(tile);
  const std::int64_t column = tiles_.column_of(tile);
  std::uint32_t filter_mask = 0;
  {
    std::scoped_lock lock(reading_);
    if (!reader_->read_chunk(field_, row, column, lane.stored, filter_mask)) {
      throw base::run_error("tile row {}, column {} is not in the file", row, column);
    }
  }
  lane.decoder.decode(lane.stored, filter_mask, lane.values);
}

void ColorWork::color_rows(Lane& lane, const base::PixelRect& rows) {
  const auto element = static_cast<std::int64_t>(base::element_bytes(type_));
  const std::int64_t stride = tiles_.chunk_px().width;
  const std::int64_t last_row = (rows.y + rows.height - 1) / tiles_.tile_px;
  const std::int64_t last_column = (rows.x + rows.width - 1) / tiles_.tile_px;
  for (std::int64_t row = rows.y / tiles_.tile_px; row <= last_row; ++row) {
    for (std::int64_t column = rows.x / tiles_.tile_px; column <= last_column; ++column) {
      const std::int64_t tile = row * tiles_.columns() + column;
      read_chunk(lane, tile);
      const base::PixelRect rect = tiles_.rect(tile);
      const std::int64_t left = std::max(rect.x, rows.x);
      const std::int64_t right = std::min(rect.x + rect.width, rows.x + rows.width);
      const std::int64_t top = std::max(rect.y, rows.y);
      const std::int64_t bottom = std::min(rect.y + rect.height, rows.y + rows.height);
      for (std::int64_t y = top; y < bottom; ++y) {
        colorizer_.colorize(lane.values.data() + ((y - rect.y) * stride + left - rect.x) * element,
                            type_, static_cast<std::size_t>(right - left),
                            lane.rgb.data() + ((y - rows.y) * rows.width + left - rows.x) * 3);
      }
    }
  }
}

PngSink::PngSink(store::PngWriter& png, std::int64_t bands) : png_(png), bands_(bands) {
  png_.write_stream(codec::zlib_header());
}

void PngSink::put(Parcel parcel) {
  early_[parcel.item] = std::move(parcel.body);
  for (auto band = early_.find(next_); band != early_.end(); band = early_.find(next_)) {
    base::ByteReader in(band->second);
    const auto adler32 = in.get<std::uint32_t>();
    const auto filtered_bytes = in.get<std::uint64_t>();
    adler32_ = codec::adler32_join(adler32_, adler32, filtered_bytes);
    png_.write_stream(in.get_bytes(band->second.size() - sizeof(adler32) - sizeof(filtered_bytes)));
    early_.erase(band);
    if (++next_ == bands_) png_.write_stream(codec::zlib_trailer(adler32_));
  }
}

}  // namespace tessera::run
