// Pixels that pause after some steps, as launches of GPUs make them, end as others do.
#include <gtest/gtest.h>

#include "deep/tiers.hpp"

namespace tessera::deep {
namespace {

using kernels::TsDeepPixel;

void expect_same(const TsDeepPixel& got, const TsDeepPixel& wanted) {
  EXPECT_EQ(got.count, wanted.count);
  EXPECT_EQ(got.n, wanted.n);
  EXPECT_EQ(got.m, wanted.m);
  EXPECT_EQ(got.x, wanted.x);
  EXPECT_EQ(got.y, wanted.y);
  EXPECT_EQ(got.error, wanted.error);
  EXPECT_EQ(got.steps, wanted.steps);
  EXPECT_EQ(got.smooth_m, wanted.smooth_m);
  EXPECT_EQ(got.smooth_radius2, wanted.smooth_radius2);
  EXPECT_EQ(got.smooth_slope2, wanted.smooth_slope2);
}

/// What the last step returned.
std::uint32_t advance_in_pauses(const FastTier& tier, std::uint32_t each, TsDeepPixel& pixel) {
  std::uint32_t state = TS_DEEP_PAUSED;
  while (state == TS_DEEP_PAUSED) {
    const std::uint64_t before = pixel.steps;
    state = kernels::ts_deep_advance(1, tier.limits, tier.table.nodes.data(),
                                     tier.table.entries.data(), before + each, &pixel);
    EXPECT_LE(pixel.steps, before + each);
  }
  return state;
}

TEST(PausedPixels, end_as_if_they_had_not_paused) {
  const DeepImage image = prepare_image({.center_re = "-0.743643887037151",
                                         .center_im = "0.131825904205330",
                                         .width = "3.85e-11",
                                         .size_px = {12, 8},
                                         .iterations = 14000,
                                         .smooth = true,
                                         .distance = true});
  const FastTier tier(image);
  for (std::int64_t i = 0; i < image.place.size_px.pixels(); ++i) {
    TsDeepPixel whole = start_pixel(tier, i % 12, i / 12);
    ASSERT_TRUE(scaled_phase(tier, whole));
    for (const std::uint32_t each : {1U, 7U, 1000U}) {
      TsDeepPixel paused = whole;
      TsDeepPixel at_once = whole;
      EXPECT_EQ(advance_in_pauses(tier, each, paused), advance_pixel(tier, at_once));
      expect_same(paused, at_once);
    }
  }
}

}  // namespace
}  // namespace tessera::deep
