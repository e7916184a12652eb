#include "render/memory_sink.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::render {
namespace {

/// Copies chunks, which are not compressed, to their places.
class MemoryWriter : public store::ImageWriter {
 public:
  MemoryWriter(const std::vector<FieldMemory>& fields, const job::RenderJob& job)
      : fields_(fields), image_(job.image), tiles_{job.image.size_px, job.tile_px} {}

  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t /*filter_mask*/) override {
    const FieldMemory& memory = *std::ranges::find(fields_, field, &FieldMemory::field);
    const base::PixelRect rect = tiles_.rect(tile_row * tiles_.columns() + tile_column);
    const std::size_t element = base::element_bytes(job::field_type(image_, field));
    const auto chunk_row = static_cast<std::size_t>(tiles_.chunk_px().width) * element;
    const auto row_bytes = static_cast<std::size_t>(rect.width) * element;
    std::byte* const first = memory.values +
                             static_cast<std::size_t>(rect.y) * memory.stride_bytes +
                             static_cast<std::size_t>(rect.x) * element;
    for (std::size_t y = 0; y < static_cast<std::size_t>(rect.height); ++y) {
      std::memcpy(first + y * memory.stride_bytes, bytes.data() + y * chunk_row, row_bytes);
    }
  }
  void set_tile(const store::TileRow&) override {}
  void flush() override {}
  void sync() override {}
  void end_share(const std::string&) override {}
  void end_part(const std::string&) override {}
  void finish(std::span<const store::TimingRow>, const store::Attributes&) override {}

 private:
  const std::vector<FieldMemory>& fields_;
  job::ImageSpec image_;
  plan::TileGrid tiles_;
};

}  // namespace

bool MemorySink::prepare(comm::World& world, job::RenderJob& job) {
  comm::agree(world, [&] {
    for (const job::Field field : job.fields) {
      if (!world.is_root() || std::ranges::count(fields_, field, &FieldMemory::field) == 1)
        continue;
      throw base::usage_error("no memory for the field {}", job::field_name(field));
    }
  });
  return ImageSink::prepare(world, job);
}

std::unique_ptr<store::ImageWriter> MemorySink::begin(const job::RenderJob& job,
                                                      store::Leftover& /*found*/) {
  return std::make_unique<MemoryWriter>(fields_, job);
}

void MemorySink::describe(const job::RenderJob& job, report::RunReport& run) const {
  for (const job::Field field : job.fields) {
    const auto pixels = static_cast<std::uint64_t>(job.image.size_px.pixels());
    run.output_bytes += pixels * base::element_bytes(job::field_type(job.image, field));
  }
}

}  // namespace tessera::render
