#include "device/pixels/long_orbits.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "device/device_error.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

constexpr std::uint64_t kKnown = 300;  ///< iterations that the device has computed

const std::function<bool()> kAlwaysRequested;

job::ImageSpec image_of(const std::string& formula, std::uint64_t iterations) {
  return {.center_re = -0.3,
          .center_im = 0.01,
          .width = 3.6,
          .size_px = {23, 17},
          .iterations = iterations,
          .formula = job::parse_formula(formula, "")};
}

/// As a device that gives up after kKnown iterations, and then to the end.
RenderedBlock in_two_stages(const job::ImageSpec& image, const base::PixelRect& block,
                            const RenderOptions& options) {
  job::ImageSpec known = image;
  known.iterations = kKnown;
  RenderedBlock pixels = render_block("reference", known, block, options);
  finish_long_orbits(image, block, buffers_of(pixels, block.width), kKnown,
                     {options.shortcuts, kAlwaysRequested}, pixels.counts);
  return pixels;
}

void expect_reference(const job::ImageSpec& image, bool smooth) {
  const base::PixelRect block{2, 1, 20, 15};
  for (const bool shortcuts : {true, false}) {
    SCOPED_TRACE(shortcuts);
    const RenderedBlock truth = render_block("reference", image, block, {smooth, shortcuts});
    const RenderedBlock got = in_two_stages(image, block, {smooth, shortcuts});
    EXPECT_TRUE(got.same_pixels(truth));
    EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
  }
}

TEST(LongOrbits, are_those_of_the_reference) {
  for (const char* formula : {"mandelbrot", "julia:-0.8,0.156", "julia:-1,0", "burning-ship",
                              "tricorn", "multibrot:3", "multibrot:8"}) {
    for (const std::uint64_t iterations : {kKnown + 1, kKnown + 2, kKnown + 17, 10 * kKnown}) {
      for (const double bailout : {2.0, 1e6, 1e76}) {
        SCOPED_TRACE(::testing::Message() << formula << ' ' << iterations << ' ' << bailout);
        job::ImageSpec image = image_of(formula, iterations);
        image.bailout = bailout;
        expect_reference(image, bailout >= job::escape_radius(image.formula));
        image.interior = job::Interior::derivative;
        expect_reference(image, bailout >= job::escape_radius(image.formula));
      }
    }
  }
}

/// Some pixels of the first image escape between the two limits.
TEST(LongOrbits, escape_beyond_the_limit_of_the_device) {
  job::ImageSpec image = image_of("mandelbrot", 60'000);
  image.center_re = 0.25;
  image.center_im = 0;
  image.width = 1e-4;
  expect_reference(image, true);
  const RenderedBlock truth = render_block("reference", image, whole(image));
  image.iterations = kKnown;
  EXPECT_NE(truth.counts.iterations,
            render_block("reference", image, whole(image)).counts.iterations);
}

TEST(LongOrbits, are_stored_in_planes_of_bytes_too) {
  const job::ImageSpec image = image_of("mandelbrot", 70'000);
  job::ImageSpec known = image;
  known.iterations = 65'536;  // the same type
  const base::PixelRect block = whole(image);
  RenderedBlock plain = render_block("reference", known, block);
  std::vector<std::byte> planes(plain.iterations.size());
  const auto pixels = static_cast<std::size_t>(block.pixels());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    planes[i % 4 * pixels + i / 4] = plain.iterations[i];
  }
  const BlockBuffers out{
      .iterations = planes.data(), .stride_px = block.width, .plane_px = block.pixels()};
  finish_long_orbits(image, block, out, known.iterations, {true, kAlwaysRequested}, plain.counts);
  const RenderedBlock truth = render_block("reference", image, block);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    ASSERT_EQ(planes[i % 4 * pixels + i / 4], truth.iterations[i]) << i;
  }
  EXPECT_EQ(plain.counts.iterations, truth.counts.iterations);
}

/// A rotation, which never returns to the same bits.
TEST(LongOrbits, end_when_nobody_wants_them) {
  job::ImageSpec image = image_of("julia:-0.390540870218,-0.586787907346", job::kMaxIterations);
  image.center_re = 0.1;
  image.center_im = 0;
  image.width = 0.1;
  const base::PixelRect block{11, 8, 1, 1};
  std::uint64_t count = job::kMaxShortIterations;
  const BlockBuffers out{.iterations = reinterpret_cast<std::byte*>(&count), .stride_px = 1};
  int asked = 0;
  const std::function<bool()> unwanted = [&] { return ++asked > 2; };
  BlockCounts counts;
  EXPECT_THROW(finish_long_orbits(image, block, out, count, {true, unwanted}, counts), Interrupted);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace tessera::device
