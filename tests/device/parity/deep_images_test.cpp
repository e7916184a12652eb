// Images by perturbation have the reference's pixels on every device, bit for bit.
#include <gtest/gtest.h>

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "job/image/views.hpp"
#include "parity_devices.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

job::ImageSpec deep_image(std::string re, std::string im, std::string width,
                          const base::ImageSize& size_px, std::uint64_t iterations,
                          double bailout = 2) {
  return {
      .size_px = size_px,
      .iterations = iterations,
      .bailout = bailout,
      .arithmetic = job::Arithmetic::perturbation,
      .place = {.center_re = std::move(re), .center_im = std::move(im), .width = std::move(width)}};
}

job::ImageSpec deep_view(std::string_view name, const base::ImageSize& size_px) {
  const job::View& view = job::find_view(name);
  const auto center = base::split(view.center, ',');
  return deep_image(std::string(center.at(0)), std::string(center.at(1)), std::string(view.width),
                    size_px, view.iterations);
}

/// Many pixels are uncertain in f64.
job::ImageSpec spirals(const base::ImageSize& size_px) {
  return deep_image("-0.743643887037151", "0.131825904205330", "3.85e-11", size_px, 14000);
}

class DeepImages : public DeviceTest {
 protected:
  void expect_same(const job::ImageSpec& image, const base::PixelRect& block, bool smooth) {
    const RenderedBlock truth = render_block("reference", image, block, {.smooth = smooth});
    const RenderedBlock got = render_block(GetParam(), image, block, {.smooth = smooth});
    EXPECT_TRUE(got.same_pixels(truth));
    EXPECT_EQ(got.counts.iterations, truth.counts.iterations);
    EXPECT_EQ(got.counts.executed, truth.counts.executed);
    EXPECT_EQ(got.counts.uncertain, truth.counts.uncertain);
    EXPECT_EQ(got.counts.uncertain_with_more, truth.counts.uncertain_with_more);
  }
  void expect_same(const job::ImageSpec& image, bool smooth) {
    expect_same(image, whole(image), smooth);
  }
};

TEST_P(DeepImages, within_the_range_of_f64) {
  for (const job::ImageSpec& image : {deep_view("e50", {25, 18}), deep_view("e113", {41, 23})}) {
    for (const bool smooth : {true, false}) expect_same(image, smooth);
  }
}

TEST_P(DeepImages, below_the_range_of_f64) {
  for (const job::ImageSpec& image : {deep_view("e533", {19, 13}), deep_view("e1086", {9, 8})}) {
    for (const bool smooth : {true, false}) expect_same(image, smooth);
  }
}

TEST_P(DeepImages, with_counts_that_f64_leaves_uncertain) {
  const job::ImageSpec image = spirals({61, 37});
  EXPECT_GT(render_block("reference", image, whole(image)).counts.uncertain, 0U);
  expect_same(image, false);
  expect_same(image, true);
}

/// Powers beyond f64 are left to 106 bits, with which they are NaN.
TEST_P(DeepImages, whose_powers_overflow) {
  job::ImageSpec image = deep_image("0.1", "0.2", "10", {61, 37}, 9, 1e60);
  image.formula = job::parse_formula("multibrot:8", "formula");
  EXPECT_GT(render_block("reference", image, whole(image)).counts.uncertain, 256U);
  for (const bool smooth : {true, false}) expect_same(image, smooth);
}

/// All pixels are uncertain in f64: their orbits, of 13 steps or two, come as near to the bailout
/// as that can tell.
std::vector<job::ImageSpec> near_the_bailout(const base::ImageSize& size_px) {
  struct Row {
    const char *formula, *re, *width;
    double bailout;
  };
  const char* const before_2 = "-2.000000100000000000000000000000000000";
  const Row rows[] = {{"mandelbrot", before_2, "1e-30", 3.2266966781002475},
                      {"burning-ship", before_2, "1e-30", 3.2266966781002475},
                      {"tricorn", before_2, "1e-30", 3.2266966781002475},
                      {"multibrot:3", "-2.2", "1e-20", 12.848},
                      {"julia:-2.2,0", "2.2", "1e-20", 4.7696}};
  std::vector<job::ImageSpec> images;
  for (const Row& row : rows) {
    images.push_back(deep_image(row.re, "0", row.width, size_px, 1000, row.bailout));
    images.back().formula = job::parse_formula(row.formula, "formula");
  }
  return images;
}

/// From GpuLane::kFewestPrecise such pixels of a block on.
TEST_P(DeepImages, whose_uncertain_counts_a_gpu_computes_again) {
  const bool is_gpu = !GetParam().starts_with("cpu");
  for (const job::ImageSpec& image : near_the_bailout({31, 17})) {
    SCOPED_TRACE(image.formula.id);
    const BlockCounts enough = render_block(GetParam(), image, {0, 0, 16, 16}).counts;
    EXPECT_EQ(enough.uncertain, 256U);
    EXPECT_EQ(enough.uncertain_on_gpu, is_gpu ? 256U - enough.uncertain_with_more : 0U);
    EXPECT_LT(enough.uncertain_with_more, 9U);
    const BlockCounts too_few = render_block(GetParam(), image, {1, 2, 17, 15}).counts;
    EXPECT_EQ(too_few.uncertain, 255U);
    EXPECT_EQ(too_few.uncertain_on_gpu, 0U);
    for (const bool smooth : {true, false}) expect_same(image, smooth);
  }
}

/// All pixels are uncertain with 106 bits: their second z is nearly R. From GpuLane::kFewestWide
/// such pixels of a block on, a GPU computes them with 190 bits.
TEST_P(DeepImages, whose_counts_a_gpu_computes_with_190_bits) {
  const bool is_gpu = !GetParam().starts_with("cpu");
  for (const job::ImageSpec& image : {deep_image("-2.5", "0", "1e-38", {30, 16}, 1000, 3.75),
                                      deep_image("-1.99999999999999999999999999999999999999999999",
                                                 "0", "1e-44", {12, 8}, 3000)}) {
    SCOPED_TRACE(image.place.center_re);
    const BlockCounts enough = render_block(GetParam(), image, {0, 0, 4, 4}).counts;
    EXPECT_EQ(enough.uncertain_with_more, 16U);
    EXPECT_EQ(enough.uncertain_on_gpu, is_gpu ? 16U : 0U);
    const BlockCounts too_few = render_block(GetParam(), image, {1, 2, 5, 3}).counts;
    EXPECT_EQ(too_few.uncertain_with_more, 15U);
    EXPECT_EQ(too_few.uncertain_on_gpu, 0U);
    for (const bool smooth : {true, false}) expect_same(image, smooth);
  }
}

TEST_P(DeepImages, some_of_whose_counts_a_gpu_computes_again) {
  const job::ImageSpec image = spirals({127, 97});
  const BlockCounts counts = render_block(GetParam(), image, whole(image)).counts;
  EXPECT_EQ(counts.uncertain_on_gpu > 0, !GetParam().starts_with("cpu"));
  EXPECT_LE(counts.uncertain_on_gpu + counts.uncertain_with_more, counts.uncertain);
  expect_same(image, true);
  expect_same(image, {3, 2, 123, 91}, false);
}

TEST_P(DeepImages, with_every_kind_of_bailout_and_limit) {
  for (const double bailout : {2.0, 4.0, 256.0, 1000.0}) {
    for (const std::uint32_t iterations : {1U, 2U, 100U, 1500U, 70'000U}) {
      SCOPED_TRACE(::testing::Message() << "R " << bailout << ", N " << iterations);
      expect_same(deep_image("-0.75", "1e-12", "1e-11", {23, 11}, iterations, bailout), true);
      expect_same(deep_image("-1", "0", "1e-20", {9, 8}, iterations, bailout), true);
      expect_same(deep_image("2", "1", "1e-20", {9, 8}, iterations, bailout), true);
    }
  }
}

TEST_P(DeepImages, with_the_derivatives_test_of_the_interior) {
  for (job::ImageSpec image : {deep_image("-1", "0", "1e-20", {9, 8}, 50'000), spirals({33, 21}),
                               deep_image("-1.7548776662466927", "0", "1e-3", {33, 21}, 5000),
                               deep_view("e533", {9, 8})}) {
    image.interior = job::Interior::derivative;
    expect_same(image, true);
  }
}

/// Pixels between two bodies of a copy of the set, and inside it; tests/deep/high_counts_test.cpp.
TEST_P(DeepImages, with_counts_beyond_32_bits) {
  constexpr base::ImageSize kSize{std::int64_t{1} << 30, 2147483646};
  const job::ImageSpec image = deep_image(
      "-0.0494700290631040937516922267273536301187457124882249082237749040825"
      "81101840360748036476493582995049896760966605467760313983395359582265120619903591151",
      "-0.6747875758446753640113920531305976563347707068224034630192761099451"
      "10403970314677767714516646655713070493936798484769529896708585489544428381974760464",
      "2e-60", kSize, 1'000'000'000'000);
  const base::PixelRect between_bodies{288715128, 1756154275, 3, 2};
  EXPECT_GT(render_block("reference", image, between_bodies).counts.iterations, 1ULL << 32);
  for (const bool smooth : {true, false}) {
    expect_same(image, between_bodies, smooth);
    expect_same(image, {kSize.width / 2, kSize.height / 2, 9, 3}, smooth);
  }
}

TEST_P(DeepImages, of_other_formulas) {
  for (const std::string_view formula :
       {"burning-ship", "tricorn", "multibrot:3", "multibrot:8", "julia:0,1", "julia:-0.8,0.156"}) {
    for (const std::string_view width : {"3.5", "1e-30", "1e-90"}) {
      SCOPED_TRACE(::testing::Message() << formula << " " << width);
      const bool julia = formula.starts_with("julia");
      job::ImageSpec image =
          deep_image(julia ? "0" : "-2", "0", std::string(width), {23, 17}, 1500, 4);
      image.formula = job::parse_formula(formula, "formula");
      for (const bool smooth : {true, false}) expect_same(image, smooth);
    }
  }
}

TEST_P(DeepImages, with_distances_below_the_range_of_f64) {
  for (const std::string_view formula :
       {"mandelbrot", "burning-ship", "tricorn", "multibrot:3", "julia:-2,0"}) {
    SCOPED_TRACE(formula);
    job::ImageSpec image = deep_image("-2", "0", "1e-340", {9, 8}, 3000, 4.0);
    image.formula = job::parse_formula(formula, "formula");
    expect_same(image, true);
  }
}

/// At 1/4, differences grow with the count alone: all steps of a pixel are below f64's range. The
/// first launch of a GPU takes 2000 of them; later ones depend on its speed.
TEST_P(DeepImages, whose_steps_below_the_range_of_f64_take_several_launches) {
  for (const std::string_view formula : {"burning-ship", "tricorn"}) {
    SCOPED_TRACE(formula);
    job::ImageSpec image = deep_image("0.25", "0", "1e-400", {5, 3}, 20'000);
    image.formula = job::parse_formula(formula, "formula");
    expect_same(image, true);
  }
}

TEST_P(DeepImages, in_parts) {
  const job::ImageSpec image = spirals({61, 37});
  expect_same(image, {5, 3, 9, 7}, true);
  expect_same(image, {60, 36, 1, 1}, true);
  expect_same(image, {0, 11, 61, 1}, true);
}

TEST_P(DeepImages, one_after_another_on_the_same_lane) {
  const auto lane = device_named(GetParam()).open_lane({});
  for (const char* view : {"e113", "islands", "e113"}) {
    const job::ImageSpec image = deep_view(view, {13, 9});
    const RenderedBlock truth = render_block("reference", image, whole(image));
    std::vector<std::byte> counts(truth.iterations.size());
    lane->render(image, whole(image), {counts.data(), nullptr, image.size_px.width});
    EXPECT_EQ(counts, truth.iterations) << view;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DeepImages, testing::ValuesIn(parity_devices()), test_name);

class ShuffledDeepImages : public DeviceTest {};

/// Byte b of element e of planes.
std::byte byte_at(const std::vector<std::byte>& planes, std::size_t plane, std::size_t element,
                  std::size_t b) {
  return planes[b * plane + element];
}

TEST_P(ShuffledDeepImages, fill_an_edge_tile) {
  const job::ImageSpec image = spirals({61, 37});
  const base::PixelRect block{32, 16, 29, 21};
  constexpr std::size_t kEdge = 32;
  constexpr std::size_t kPlane = kEdge * kEdge;
  std::vector<std::byte> iterations(2 * kPlane, std::byte{0});
  std::vector<std::byte> smooth(4 * kPlane, std::byte{0});
  const RenderedBlock truth = render_block("reference", image, block, {.smooth = true});
  ASSERT_GT(truth.counts.uncertain, 0U);
  const auto lane = device_named(GetParam()).open_lane({});
  const BlockCounts counts = lane->render(
      image, block, {iterations.data(), reinterpret_cast<float*>(smooth.data()), kEdge, kPlane});
  EXPECT_FALSE(counts.uniform);
  EXPECT_EQ(counts.iterations, truth.counts.iterations);
  const auto values = std::as_bytes(std::span(truth.smooth));
  for (std::size_t at = 0; at < kPlane; ++at) {
    const std::size_t row = at / kEdge;
    const std::size_t column = at % kEdge;
    const bool inside = row < 21 && column < 29;
    const std::size_t pixel = row * 29 + column;
    for (std::size_t b = 0; b < 2; ++b) {
      ASSERT_EQ(byte_at(iterations, kPlane, at, b),
                inside ? truth.iterations[2 * pixel + b] : std::byte{0});
    }
    for (std::size_t b = 0; b < 4; ++b) {
      ASSERT_EQ(byte_at(smooth, kPlane, at, b), inside ? values[4 * pixel + b] : std::byte{0});
    }
  }
}

TEST_P(ShuffledDeepImages, of_one_count_are_told_and_not_copied) {
  const job::ImageSpec image = deep_image("-1", "0", "1e-20", {16, 16}, 5000);
  std::vector<std::byte> planes(2 * 256, std::byte{0xAB});
  const auto lane = device_named(GetParam()).open_lane({});
  const BlockCounts counts = lane->render(image, whole(image), {planes.data(), nullptr, 16, 256});
  EXPECT_EQ(counts.uniform, 5000U);
  EXPECT_EQ(planes[0], std::byte{0xAB});
}

INSTANTIATE_TEST_SUITE_P(Devices, ShuffledDeepImages, testing::ValuesIn(shuffling_devices()),
                         test_name);

}  // namespace
}  // namespace tessera::device
