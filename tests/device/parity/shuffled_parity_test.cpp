// What GPUs and their like do beside plain blocks: tiles that come as shuffled planes, in bands, or
// as one value and hold the reference's pixels too; arrays.
#include <gtest/gtest.h>

#include "parity_devices.hpp"
#include "tests/device/check_bench_arrays.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

/// A chunk of all fields, as planes.
struct Chunk {
  base::ImageSize size_px;
  std::vector<std::byte> iterations;
  job::PerField<std::vector<std::byte>> more;

  Chunk(const job::ImageSpec& image, const base::ImageSize& size, std::byte content)
      : size_px(size),
        iterations(pixels() * base::element_bytes(job::iterations_type(image)), content) {
    for (const job::Field field : job::kMoreFields) {
      more[field].assign(pixels() * sizeof(float), content);
    }
  }

  std::size_t pixels() const { return static_cast<std::size_t>(size_px.pixels()); }
  BlockBuffers buffers() {
    BlockBuffers out{
        .iterations = iterations.data(), .stride_px = size_px.width, .plane_px = size_px.pixels()};
    for (const job::Field field : job::kMoreFields) out.set(field, more[field].data());
    return out;
  }
};

/// Element (column, row) of planes, byte by byte.
std::vector<std::byte> element(const std::vector<std::byte>& planes, std::size_t pixels,
                               std::size_t at) {
  std::vector<std::byte> bytes;
  for (std::size_t b = 0; b < planes.size() / pixels; ++b) bytes.push_back(planes[b * pixels + at]);
  return bytes;
}

class ShuffledParity : public DeviceTest {
 protected:
  void expect_chunk(const job::ImageSpec& image, const base::PixelRect& block,
                    const base::ImageSize& chunk_px) {
    Chunk chunk(image, chunk_px, std::byte{0});
    const auto lane = device_named(GetParam()).open_lane({});
    const BlockCounts counts = lane->render(image, block, chunk.buffers());
    ASSERT_FALSE(counts.uniform);
    const RenderedBlock truth = render_block("reference", image, block, {.smooth = true});
    EXPECT_EQ(counts.iterations, truth.counts.iterations);
    const std::size_t count_bytes = base::element_bytes(job::iterations_type(image));
    for (std::int64_t row = 0; row < chunk_px.height; ++row) {
      for (std::int64_t column = 0; column < chunk_px.width; ++column) {
        const auto at = static_cast<std::size_t>(row * chunk_px.width + column);
        const bool within = row < block.height && column < block.width;
        const auto pixel = static_cast<std::size_t>(row * block.width + column);
        std::vector<std::byte> count(count_bytes);  // zeros around an edge tile
        if (within) std::memcpy(count.data(), &truth.iterations[pixel * count_bytes], count_bytes);
        ASSERT_EQ(element(chunk.iterations, chunk.pixels(), at), count) << column << "," << row;
        for (const job::Field field : job::kMoreFields) {
          std::vector<std::byte> value(sizeof(float));
          if (within) std::memcpy(value.data(), &truth[field][pixel], sizeof(float));
          ASSERT_EQ(element(chunk.more[field], chunk.pixels(), at), value)
              << job::field_name(field) << " " << column << "," << row;
        }
      }
    }
  }
};

TEST_P(ShuffledParity, a_whole_chunk) {
  expect_chunk({-0.75, 0.0, 3.0, {61, 47}, 300, 2.0}, {0, 0, 61, 47}, {61, 47});
}

TEST_P(ShuffledParity, an_edge_tile_has_zeros_around_it) {
  expect_chunk({-0.75, 0.0, 3.0, {101, 83}, 300, 2.0}, {64, 64, 37, 19}, {64, 64});
}

TEST_P(ShuffledParity, counts_of_32_bits) {
  expect_chunk({-0.7, 0.3, 0.5, {64, 32}, 70000, 2.0}, {0, 0, 64, 32}, {64, 32});
}

TEST_P(ShuffledParity, an_edge_tile_of_an_exact_image) {
  job::ImageSpec exact{-0.75, 0.0, 3.0, {101, 83}, 300, 2.0};
  exact.arithmetic = job::Arithmetic::exact;
  exact.place = {"-0.75", "0", "3"};
  expect_chunk(exact, {64, 64, 37, 19}, {64, 64});
  exact.iterations = 2;
  expect_chunk(exact, {64, 64, 37, 19}, {64, 64});
}

TEST_P(ShuffledParity, a_tile_of_one_count_is_told_and_not_copied) {
  const job::ImageSpec inside{-0.1, 0.1, 0.1, {64, 64}, 5000, 2.0};
  Chunk chunk(inside, {64, 64}, std::byte{0xAB});
  const auto lane = device_named(GetParam()).open_lane({});
  const BlockCounts counts = lane->render(inside, {0, 0, 64, 64}, chunk.buffers());
  EXPECT_EQ(counts.uniform, 5000U);
  EXPECT_EQ(counts.iterations, 5000U * 64 * 64);
  for (const std::byte byte : chunk.iterations) ASSERT_EQ(byte, std::byte{0xAB});
}

TEST_P(ShuffledParity, one_count_outside_is_not_one_smooth_value) {
  const job::ImageSpec outside{30.0, 40.0, 1.0, {64, 64}, 50, 2.0};
  Chunk chunk(outside, {64, 64}, std::byte{0});
  const auto lane = device_named(GetParam()).open_lane({});
  EXPECT_FALSE(lane->render(outside, {0, 0, 64, 64}, chunk.buffers()).uniform);
  const BlockBuffers counts_only{
      .iterations = chunk.iterations.data(), .stride_px = 64, .plane_px = 64 * 64};
  EXPECT_EQ(lane->render(outside, {0, 0, 64, 64}, counts_only).uniform, 1U);
}

TEST_P(ShuffledParity, a_part_of_a_chunk_is_never_told_to_be_one_value) {
  const job::ImageSpec inside{-0.1, 0.1, 0.1, {64, 64}, 5000, 2.0};
  Chunk chunk(inside, {64, 64}, std::byte{0});
  const auto lane = device_named(GetParam()).open_lane({});
  EXPECT_FALSE(lane->render(inside, {0, 0, 64, 32}, chunk.buffers()).uniform);
  EXPECT_EQ(element(chunk.iterations, 64 * 64, 5)[0], std::byte{5000 & 0xFF});
}

TEST_P(ShuffledParity, arrays_are_added_summed_and_copied) {
  const auto bench_arrays = open_bench_arrays(GetParam(), {.threads = 1});
  ASSERT_NE(bench_arrays, nullptr);
  for (const std::size_t elements : {1U, 63U, 65U, 300'001U, 17U})
    check_bench_arrays(*bench_arrays, elements);
}

INSTANTIATE_TEST_SUITE_P(Devices, ShuffledParity, testing::ValuesIn(shuffling_devices()),
                         test_name);

}  // namespace
}  // namespace tessera::device
