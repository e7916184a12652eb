#include "api/tile_writer.hpp"

#include "api/call.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::api {
namespace {

class TileWriter : public store::ImageWriter {
 public:
  TileWriter(v0::ImageSink& sink, const job::RenderJob& job)
      : sink_(sink), image_(job.image), tiles_{job.image.size_px, job.tile_px} {}

  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t /*filter_mask*/) override {
    const base::PixelRect rect = tiles_.rect(tile_row * tiles_.columns() + tile_column);
    const std::size_t element = base::element_bytes(job::field_type(image_, field));
    const Tile tile{.field = static_cast<Field>(field),
                    .x = rect.x,
                    .y = rect.y,
                    .width = rect.width,
                    .height = rect.height,
                    .values = bytes.data(),
                    .stride_bytes = static_cast<std::size_t>(tiles_.chunk_px().width) * element};
    called_back([&] { sink_.tile(tile); });
  }
  void set_tile(const store::TileRow&) override {}
  void flush() override {}
  void sync() override {}
  void end_share(const std::string&) override {}
  void end_part(const std::string&) override {}
  void finish(std::span<const store::TimingRow>, const store::Attributes&) override { sink_.end(); }

 private:
  v0::ImageSink& sink_;
  job::ImageSpec image_;
  plan::TileGrid tiles_;
};

}  // namespace

std::unique_ptr<store::ImageWriter> CallerSink::begin(const job::RenderJob& job,
                                                      store::Leftover& /*found*/) {
  called_back([&] { sink_.begin(image_); });
  return std::make_unique<TileWriter>(sink_, job);
}

}  // namespace tessera::api
