// Images in memory, against those in files.
#include "render/memory_sink.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codec/chunk.hpp"
#include "job/image/options.hpp"
#include "job/image/resolution.hpp"
#include "plan/tile_grid.hpp"
#include "render/file_sink.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"

namespace tessera::render {
namespace {

constexpr std::byte kUntouched{0xA5};

job::RenderJob job_of(std::initializer_list<std::pair<std::string, std::string>> options) {
  std::vector<job::Given> given{{"quiet", "true", ""}, {"device", "cpu", ""}};
  for (const auto& [name, value] : options) given.push_back({name, value, "--" + name});
  return job::make_render_job(given);
}

/// A field in rows that are longer than those of the image.
struct Memory {
  job::Field field;
  std::size_t row_bytes;
  std::size_t stride_bytes;
  std::vector<std::byte> bytes;

  Memory(const job::RenderJob& job, job::Field of)
      : field(of),
        row_bytes(static_cast<std::size_t>(job.image.size_px.width) *
                  base::element_bytes(job::field_type(job.image, of))),
        stride_bytes(row_bytes + 24),
        bytes(stride_bytes * static_cast<std::size_t>(job.image.size_px.height), kUntouched) {}

  bool is_untouched_between_rows() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i % stride_bytes >= row_bytes && bytes[i] != kUntouched) return false;
    }
    return true;
  }
};

/// A run without MPI that nobody stops or hears.
class Alone {
 public:
  void render(const job::RenderJob& job, ImageSink& sink) { render::render(context_, job, sink); }

 private:
  comm::World world_ = comm::World::single();
  base::StopToken stop_;
  base::Events events_;
  run::Context context_{world_, {stop_, events_}};
};

std::vector<Memory> in_memory(const job::RenderJob& job) {
  std::vector<Memory> memory;
  std::vector<FieldMemory> fields;
  memory.reserve(job.fields.size());
  for (const job::Field field : job.fields) {
    Memory& one = memory.emplace_back(job, field);
    fields.push_back({field, one.bytes.data(), one.stride_bytes});
  }
  MemorySink sink(fields);
  Alone().render(job, sink);
  return memory;
}

/// Puts the field of the file into `expected`, which has the layout of `memory`.
void read_field(const store::ImageReader& file, const job::RenderJob& job, Memory& expected) {
  const base::ElementType type = job::field_type(job.image, expected.field);
  const std::size_t element = base::element_bytes(type);
  const plan::TileGrid tiles{job.image.size_px, file.header().tile_px};
  const auto chunk_row = static_cast<std::size_t>(tiles.chunk_px().width) * element;
  std::vector<std::byte> stored;
  std::vector<std::byte> raw(static_cast<std::size_t>(tiles.chunk_px().pixels()) * element);
  std::uint32_t mask = 0;
  codec::ChunkDecoder decoder(type);
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    ASSERT_TRUE(
        file.read_chunk(expected.field, tiles.row_of(tile), tiles.column_of(tile), stored, mask));
    decoder.decode(stored, mask, raw);
    const base::PixelRect rect = tiles.rect(tile);
    for (std::int64_t y = 0; y < rect.height; ++y) {
      const auto to = static_cast<std::size_t>(rect.y + y) * expected.stride_bytes +
                      static_cast<std::size_t>(rect.x) * element;
      std::memcpy(&expected.bytes[to], &raw[static_cast<std::size_t>(y) * chunk_row],
                  static_cast<std::size_t>(rect.width) * element);
    }
  }
}

void expect_the_values_of_a_file(job::RenderJob job) {
  const std::vector<Memory> memory = in_memory(job);
  job.output = testing::TempDir() + "memory_sink_test.h5";
  job.overwrite = true;
  FileSink sink;
  Alone().render(job, sink);
  const auto file = store::open_image(job.output);
  for (const Memory& got : memory) {
    Memory expected(job, got.field);
    read_field(*file, job, expected);
    EXPECT_EQ(got.bytes, expected.bytes) << job::field_name(got.field);
    EXPECT_TRUE(got.is_untouched_between_rows());
  }
  std::filesystem::remove(job.output);
}

TEST(MemorySink, has_the_values_of_a_file) {
  expect_the_values_of_a_file(job_of({{"size", "100x70"},
                                      {"tile", "32"},
                                      {"iterations", "300"},
                                      {"fields", "iterations,smooth"}}));
}

TEST(MemorySink, has_the_values_of_tiles_larger_than_the_image) {
  expect_the_values_of_a_file(job_of({{"size", "50x9"}, {"tile", "64"}, {"iterations", "90000"}}));
}

TEST(MemorySink, has_the_values_of_uniform_tiles) {
  expect_the_values_of_a_file(job_of({{"size", "64x64"},
                                      {"tile", "32"},
                                      {"center", "-0.1,0"},
                                      {"width", "0.01"},
                                      {"fields", "iterations,smooth,distance"}}));
}

TEST(MemorySink, serves_one_thread_after_the_other) {
  const job::RenderJob job = job_of({{"size", "40x30"}, {"iterations", "200"}});
  const std::vector<Memory> here = in_memory(job);
  std::vector<Memory> there;
  std::thread([&] { there = in_memory(job); }).join();
  ASSERT_EQ(there.size(), 1U);
  EXPECT_EQ(here.front().bytes, there.front().bytes);
}

TEST(MemorySink, refuses_what_it_cannot_hold) {
  const job::RenderJob job = job_of({{"size", "8x8"}, {"fields", "iterations,smooth"}});
  MemorySink none({});
  EXPECT_THROW(Alone().render(job, none), base::Error) << "a field without memory";
  Memory memory(job, job::Field::iterations);
  MemorySink sink({{memory.field, memory.bytes.data(), memory.stride_bytes}});
  EXPECT_THROW(Alone().render(job_of({{"size", "8x8"}, {"share", "1/2"}}), sink), base::Error);
}

}  // namespace
}  // namespace tessera::render
