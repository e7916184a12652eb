// Pixels by their definition find counts that are wrong, whatever made them.
#include "post/verify/definition_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "deep/deep_block.hpp"
#include "device/pixels/deep_block.hpp"
#include "job/image/options.hpp"

namespace tessera::post {
namespace {

job::ImageSpec deep_image(std::string width, std::string iterations = "3000") {
  return job::make_render_job(std::vector<job::Given>{{"center", "-1.749,0.0000000000001", "test"},
                                                      {"width", std::move(width), "test"},
                                                      {"size", "96x80", "test"},
                                                      {"iterations", std::move(iterations), "test"},
                                                      {"arithmetic", "perturbation", "test"}})
      .image;
}

constexpr base::PixelRect kRows{32, 8, 40, 16};
constexpr std::int64_t kStride = 64;

/// A stored chunk of kRows, of u16.
base::Bytes chunk_of(const job::ImageSpec& image) {
  base::Bytes chunk(kStride * static_cast<std::size_t>(kRows.height) * 2);
  std::vector<float> smooth;
  device::render_deep_block(image, kRows, {.iterations = chunk.data(), .stride_px = kStride});
  return chunk;
}

TEST(DefinedPixels, of_a_right_image_are_the_same) {
  const job::ImageSpec image = deep_image("1e-12");
  const auto pixels = choose_defined(image, kRows, chunk_of(image), kStride, 1);
  ASSERT_EQ(pixels.size(), 64U);
  for (const DefinedPixel& pixel : pixels) EXPECT_EQ(compare_defined(image, pixel), "");
}

TEST(DefinedPixels, find_a_changed_count_and_tell_the_true_one) {
  const job::ImageSpec image = deep_image("1e-12");
  DefinedPixel pixel = choose_defined(image, kRows, chunk_of(image), kStride, 1).at(5);
  const std::uint64_t right = pixel.stored++;
  EXPECT_EQ(compare_defined(image, pixel),
            fmt::format("/iterations is {} in image row {}, column {}; MPFR counts {}", right + 1,
                        pixel.row, pixel.column, right));
}

TEST(DefinedPixels, are_spread_over_the_rows) {
  const job::ImageSpec image = deep_image("1e-12");
  const auto pixels = choose_defined(image, kRows, chunk_of(image), kStride, 7);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::int64_t at = (pixels[i].row - kRows.y) * kRows.width + pixels[i].column - kRows.x;
    EXPECT_EQ(at / 10, static_cast<std::int64_t>(i));
  }
}

TEST(DefinedPixels, have_the_middle_of_the_image) {
  const job::ImageSpec image = deep_image("1e-12");
  const base::PixelRect rows{32, 32, 40, 16};
  const base::Bytes chunk(kStride * static_cast<std::size_t>(rows.height) * 2, std::byte{1});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto pixels = choose_defined(image, rows, chunk, kStride, seed);
    EXPECT_EQ(pixels.size(), 64U);
    EXPECT_EQ(
        std::ranges::count_if(
            pixels, [](const DefinedPixel& one) { return one.column == 48 && one.row == 40; }),
        1);
  }
}

TEST(DefinedPixels, are_fewer_where_they_take_long) {
  const base::Bytes chunk(kStride * static_cast<std::size_t>(kRows.height) * 4, std::byte{1});
  const std::size_t pixels =
      choose_defined(deep_image("1e-12", "17000000"), kRows, chunk, kStride, 1).size();
  EXPECT_EQ(pixels, 1U);
  EXPECT_LT(choose_defined(deep_image("1e-90000", "3000"), kRows, chunk, kStride, 1).size(), 64U);
}

TEST(DefinedPixels, are_claimed_by_exact_deep_images_alone) {
  job::ImageSpec image = deep_image("1e-12");
  EXPECT_TRUE(has_defined_counts(image));
  image.exact = false;
  EXPECT_FALSE(has_defined_counts(image));
  EXPECT_FALSE(has_defined_counts(job::ImageSpec{}));
}

}  // namespace
}  // namespace tessera::post
