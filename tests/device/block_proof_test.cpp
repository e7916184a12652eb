// A proven count is that of every pixel, by the reference; and what is plain is proven.
#include "device/pixels/block_proof.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "plane/matrix.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

job::ImageSpec image_at(double re, double im, double width, std::uint32_t iterations = 500,
                        const char* formula = "mandelbrot") {
  return {.center_re = re,
          .center_im = im,
          .width = width,
          .size_px = {512, 512},
          .iterations = iterations,
          .bailout = 2.0,
          .formula = job::parse_formula(formula, "")};
}

/// With a step for each 64 pixels, as GPUs have it.
std::optional<std::uint64_t> proven(const job::ImageSpec& image, const base::PixelRect& block) {
  return proven_count(image, block, block.pixels() / 64);
}

std::optional<std::uint64_t> proven_whole(const job::ImageSpec& image) {
  return proven(image, whole(image));
}

TEST(BlockProof, FindsBlocksInsideTheSet) {
  EXPECT_EQ(proven_whole(image_at(-0.1, 0.1, 0.1)), 500U);         // cardioid
  EXPECT_EQ(proven_whole(image_at(-1.0, 0.0, 0.1)), 500U);         // disc
  EXPECT_EQ(proven_whole(image_at(-0.1226, 0.7449, 0.03)), 500U);  // period 3
  EXPECT_EQ(proven_whole(image_at(0.0, 0.0, 0.3, 500, "julia:-0.1,0.1")), 500U);
  EXPECT_EQ(proven_whole(image_at(0.0, 0.0, 0.2, 500, "burning-ship")), 500U);
  EXPECT_EQ(proven_whole(image_at(0.0, 0.0, 0.2, 500, "tricorn")), 500U);
  EXPECT_EQ(proven_whole(image_at(0.0, 0.0, 0.2, 500, "multibrot:8")), 500U);
}

TEST(BlockProof, NeedsNoMoreStepsForHigherLimits) {
  EXPECT_EQ(proven_whole(image_at(-0.1, 0.1, 0.1, 4294967294)), 4294967294U);
  EXPECT_EQ(proven_whole(image_at(-0.1226, 0.7449, 0.03, 4294967294)), 4294967294U);
}

TEST(BlockProof, FindsBlocksThatEscapeTogether) {
  EXPECT_EQ(proven_whole(image_at(30.0, 40.0, 10.0)), 1U);
  EXPECT_EQ(proven_whole(image_at(1.0, 1.0, 0.1)), 2U);
  EXPECT_EQ(proven_whole(image_at(30.0, 40.0, 10.0, 1)), 1U);
  EXPECT_EQ(proven_whole(image_at(30.0, 40.0, 10.0, 500, "julia:0,0")), 0U);
}

TEST(BlockProof, ProvesNothingWhereCountsDiffer) {
  EXPECT_FALSE(proven_whole(image_at(-0.75, 0.0, 3.0)));
  EXPECT_FALSE(proven_whole(image_at(-2.0, 0.0, 4e-12)));
  EXPECT_FALSE(proven_whole(image_at(-0.7436, 0.1318, 0.0025)));
}

/// A count at each of two halves of a block is one of it only if they are equal.
TEST(BlockProof, ComparesTheParts) {
  const job::ImageSpec image = image_at(2.0, 0.0, 4.0);
  EXPECT_EQ(proven(image, {400, 0, 100, 100}), 1U);
  EXPECT_FALSE(proven(image, {200, 0, 200, 400}));
}

TEST(BlockProof, TakesNoMoreStepsThanTheBlockIsWorth) {
  const job::ImageSpec image = image_at(-0.1, 0.1, 0.001);
  EXPECT_EQ(proven(image, {0, 0, 64, 64}), 500U);  // 64 steps
  EXPECT_FALSE(proven(image, {0, 0, 8, 7}));       // none
  EXPECT_FALSE(proven(image, {0, 0, 8, 8}));       // one
}

std::uint32_t count_at(const RenderedBlock& block, const job::ImageSpec& image, std::size_t pixel) {
  std::uint32_t count = 0;
  const std::size_t bytes = base::element_bytes(job::iterations_type(image));
  std::memcpy(&count, &block.iterations[pixel * bytes], bytes);
  return count;
}

void expect_proof(const job::ImageSpec& image, const base::PixelRect& block, int& proofs) {
  const auto found = proven(image, block);
  if (!found) return;
  ++proofs;
  const RenderedBlock truth = render_block("reference", image, block);
  for (std::int64_t pixel = 0; pixel < block.pixels(); ++pixel) {
    ASSERT_EQ(count_at(truth, image, static_cast<std::size_t>(pixel)), *found)
        << image.formula.id << " " << image.center_re << " " << image.center_im << " "
        << image.width << " R " << image.bailout;
  }
}

/// Blocks anywhere, and the largest provable ones around a point, which end where counts differ.
TEST(BlockProof, HoldsForEveryPixel) {
  std::mt19937_64 random(7);  // NOLINT: the same in every run
  std::uniform_real_distribution<double> place(-2.2, 2.2);
  std::uniform_real_distribution<double> exponent(-14, 1.0);
  int proofs = 0;
  int cases = 0;
  for (const char* const formula :
       {"mandelbrot", "julia:-0.8,0.156", "julia:0.25,0", "julia:-2.1,0", "julia:0.3,2.5",
        "burning-ship", "tricorn", "multibrot:3", "multibrot:4", "multibrot:7", "multibrot:8"}) {
    for (const double bailout : {0.5, 2.0, 300.0, 1e100}) {
      for (int i = 0; i < 10; ++i, ++cases) {
        job::ImageSpec image = image_at(place(random), place(random), 1.0, 60, formula);
        image.bailout = bailout;
        image.size_px = {96, 96};
        image.width = std::pow(10.0, exponent(random));
        expect_proof(image, whole(image), proofs);
        for (image.width = 1e-6; proven_whole(image) && image.width < 100; image.width *= 1.3) {
        }
        image.width /= 1.3;
        expect_proof(image, whole(image), proofs);
        image.matrix = plane::rounded(plane::rotation(double(37 * i)) *
                                      plane::stretch(double(23 * i), 1.0 + i % 4));
        expect_proof(image, whole(image), proofs);
      }
    }
  }
  EXPECT_GT(proofs, cases);  // more than half of two blocks a case
}

}  // namespace
}  // namespace tessera::device
