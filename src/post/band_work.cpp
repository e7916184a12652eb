#include "post/band_work.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera::post {

class BandTask : public farm::Task {
 public:
  BandTask(ColorWork& work, std::int64_t band, int lane)
      : work_(work), band_(band), lane_(work.lanes_[static_cast<std::size_t>(lane)]) {}

  int parts() const override { return 1; }

  void run_part(int, int) override { work_.color_band(lane_, band_); }

  void finish(int, const farm::SendResult& send_result) override {
    const codec::PngBand band = lane_.encoder.encode(lane_.rgb, work_.bands_.picture_px().width);
    base::ByteWriter body;
    body.reserve(band.deflated.size() + 16);
    body.put(band.adler32).put(band.filtered_bytes).put_bytes(band.deflated);
    send_result({.item = band_, .body = body.take()});
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
    Lane& lane = lanes_.emplace_back(type_, bands.scale);
    lane.values.resize(static_cast<std::size_t>(tiles_.chunk_px().pixels()) *
                       base::element_bytes(type_));
    // Reserved exactly: a vector that grows may allocate twice its size.
    lane.stored.reserve(lane.values.size());
    lane.alongside.reserve(static_cast<std::size_t>(tiles_.chunk_px().pixels()) *
                           widest_alongside(header, field));
    if (bands.scale > 1) lane.row.resize(static_cast<std::size_t>(tiles_.chunk_px().width) * 3);
  }
}

std::size_t ColorWork::widest_alongside(const store::ImageHeader& header, job::Field field) {
  std::size_t bytes = 0;
  for (const auto& [name, type] : header.fields) {
    if (name != field) bytes = std::max(bytes, base::element_bytes(type));
  }
  return bytes;
}

std::unique_ptr<farm::Task> ColorWork::begin(std::int64_t band, int lane) {
  return std::make_unique<BandTask>(*this, band, lane);
}

base::Error ColorWork::damaged(std::int64_t tile, const std::string& why) const {
  return base::run_error(
      "{0}: tile row {1}, column {2} of /{3}: {4}; run: tessera verify --repair {0}",
      reader_->path(), tiles_.row_of(tile), tiles_.column_of(tile), job::field_name(field_), why);
}

void ColorWork::read_chunk(Lane& lane, std::int64_t tile) {
  std::uint32_t filter_mask = 0;
  try {
    if (!reader_->read_chunk(field_, tiles_.row_of(tile), tiles_.column_of(tile), lane.stored,
                             filter_mask)) {
      throw base::run_error("is not in the file");
    }
    // Deflated data have a checksum of their own, which the decoder verifies.
    const bool sound = (filter_mask & codec::kDeflateSkipped) == 0 || is_sound(lane, tile);
    if (!sound) throw base::run_error("checksum mismatch: its stored bytes are damaged");
    lane.decoder.decode(lane.stored, filter_mask, lane.values);
  } catch (const base::Error& error) {
    throw damaged(tile, error.what());
  }
}

/// Called with checking_ locked.
void ColorWork::read_checksums() {
  const auto tiles = static_cast<std::size_t>(tiles_.count());
  checksums_.reserve(tiles);
  reader_->for_each_tile([&](const store::TileRow& row) {
    if (checksums_.size() < tiles) checksums_.push_back(row.checksum);
  });
  checksums_.resize(tiles);
  checked_.resize(tiles);
}

/// /tiles has one checksum for the chunks of all fields of a tile. If several bands need a tile,
/// the first of them checks it.
bool ColorWork::is_sound(Lane& lane, std::int64_t tile) {
  const auto number = static_cast<std::size_t>(tile);
  {
    const std::scoped_lock lock(checking_);
    if (checksums_.empty()) read_checksums();
    if (checked_[number]) return true;
  }
  std::uint32_t checksum = 0;
  for (const auto& [field, type] : reader_->header().fields) {
    if (field != field_) read_alongside(lane, field, tile);
    checksum = codec::crc32c(field == field_ ? lane.stored : lane.alongside, checksum);
  }
  if (checksum != checksums_[number]) return false;
  const std::scoped_lock lock(checking_);
  checked_[number] = true;
  return true;
}

void ColorWork::read_alongside(Lane& lane, job::Field field, std::int64_t tile) {
  std::uint32_t filter_mask = 0;
  const bool found = reader_->read_chunk(field, tiles_.row_of(tile), tiles_.column_of(tile),
                                         lane.alongside, filter_mask);
  if (!found) lane.alongside.clear();
}

void ColorWork::color_band(Lane& lane, std::int64_t band) {
  const base::PixelRect source = bands_.source_of(band);
  const base::ImageSize size = bands_.size_of(band);
  lane.rgb.resize(static_cast<std::size_t>(size.pixels()) * 3);
  if (bands_.scale > 1) lane.average.begin(size);
  const std::int64_t last_row = (source.y + source.height - 1) / tiles_.tile_px;
  const std::int64_t last_column = (source.x + source.width - 1) / tiles_.tile_px;
  for (std::int64_t row = source.y / tiles_.tile_px; row <= last_row; ++row) {
    for (std::int64_t column = source.x / tiles_.tile_px; column <= last_column; ++column) {
      color_chunk(lane, row * tiles_.columns() + column, source);
    }
  }
  if (bands_.scale > 1) lane.average.finish(lane.rgb);
}

/// Colours the intersection of a tile with the source of a band.
void ColorWork::color_chunk(Lane& lane, std::int64_t tile, const base::PixelRect& source) {
  read_chunk(lane, tile);
  const std::size_t element = base::element_bytes(type_);
  const base::PixelRect rect = tiles_.rect(tile);
  const std::int64_t left = std::max(rect.x, source.x);
  const std::int64_t right = std::min(rect.x + rect.width, source.x + source.width);
  const std::int64_t top = std::max(rect.y, source.y);
  const std::int64_t bottom = std::min(rect.y + rect.height, source.y + source.height);
  const auto pixels = static_cast<std::size_t>(right - left);
  for (std::int64_t y = top; y < bottom; ++y) {
    const std::int64_t first = (y - rect.y) * tiles_.chunk_px().width + left - rect.x;
    const std::byte* const values = lane.values.data() + static_cast<std::size_t>(first) * element;
    if (bands_.scale == 1) {
      const std::int64_t to = (y - source.y) * source.width + left - source.x;
      colorizer_.colorize(values, type_, pixels, lane.rgb.data() + to * 3);
    } else {
      colorizer_.colorize(values, type_, pixels, lane.row.data());
      lane.average.add(y - source.y, left - source.x, std::span(lane.row).first(pixels * 3));
    }
  }
}

PngSink::PngSink(store::PngWriter& png, std::int64_t bands) : png_(png), bands_(bands) {
  png_.write_stream(codec::zlib_header());
}

void PngSink::put(farm::ResultChunk result_chunk) {
  early_[result_chunk.item] = std::move(result_chunk.body);
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

}  // namespace tessera::post
