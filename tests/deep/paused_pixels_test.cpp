// Pixels that pause after some steps, as launches of GPUs make them, end as others do.
#include <gtest/gtest.h>

#include "deep/tiers.hpp"
#include "formulas.hpp"

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
  EXPECT_EQ(got.smooth_right, wanted.smooth_right);
  EXPECT_EQ(got.smooth_up, wanted.smooth_up);
  EXPECT_EQ(got.smooth_x, wanted.smooth_x);
  EXPECT_EQ(got.smooth_y, wanted.smooth_y);
}

/// What the last step returned.
std::uint32_t advance_in_pauses(const FastTier& tier, std::uint32_t each, TsDeepPixel& pixel) {
  std::uint32_t state = TS_DEEP_PAUSED;
  while (state == TS_DEEP_PAUSED) {
    const std::uint64_t before = pixel.steps;
    state = kernels::ts_deep_advance(1, tier.limits, tier.table.jumps(), tier.rounding,
                                     before + each, &pixel);
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

/// Both phases by turns.
template <class Tier>
std::uint32_t advance_whole(const Tier& tier, typename Tier::Pixel& pixel) {
  while (true) {
    if (const auto state = scaled_phase(tier, pixel); state != TS_DEEP_SMALL) return state;
    if (const auto state = advance_pixel(tier, pixel); state != TS_DEEP_SMALL) return state;
  }
}

kernels::TsJumps<double> jumps_of(const FastTier& tier) {
  return tier.table.jumps();
}
kernels::TsJumps<kernels::DoubleDouble> jumps_of(const PreciseTier& tier) {
  return tier.jumps;
}

/// The same as launches of a GPU do it. Counts them.
template <class Tier>
std::uint32_t advance_by_launches(const Tier& tier, std::uint32_t cut, typename Tier::Pixel& pixel,
                                  int& launches) {
  std::uint32_t state = TS_DEEP_PAUSED;
  while (state == TS_DEEP_PAUSED) {
    const std::uint64_t before = pixel.steps + pixel.scaled_steps;
    const auto jumps = jumps_of(tier);
    state = kernels::ts_advance_paused(static_cast<int>(tier.limits.jumps), &tier.limits, &jumps,
                                       tier.image.unit_exponent, tier.rounding, cut, &pixel);
    EXPECT_LE(pixel.steps + pixel.scaled_steps, before + cut + TS_QUIET_STEPS);
    ++launches;
  }
  return state;
}

/// `min_launches`: of a pixel, of 16 steps each.
template <class Tier>
void expect_same_in_launches(const Tier& tier, int min_launches) {
  const base::ImageSize size = tier.image.place.size_px;
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    SCOPED_TRACE(::testing::Message() << "pixel " << i);
    typename Tier::Pixel whole = start_pixel(tier, i % size.width, i / size.width);
    const typename Tier::Pixel start = whole;
    const std::uint32_t state = advance_whole(tier, whole);
    for (const std::uint32_t cut : {1U, 2U, 16U, 1000U}) {
      typename Tier::Pixel paused = start;
      int launches = 0;
      EXPECT_EQ(advance_by_launches(tier, cut, paused, launches), state);
      EXPECT_EQ(paused.count, whole.count);
      EXPECT_EQ(paused.n, whole.n);
      EXPECT_EQ(paused.m, whole.m);
      EXPECT_EQ(paused.steps, whole.steps);
      EXPECT_EQ(paused.scaled_steps, whole.scaled_steps);
      EXPECT_EQ(paused.smooth_m, whole.smooth_m);
      EXPECT_EQ(paused.smooth_radius2, whole.smooth_radius2);
      EXPECT_EQ(paused.smooth_slope2, whole.smooth_slope2);
      EXPECT_EQ(paused.smooth_right, whole.smooth_right);
      EXPECT_EQ(paused.smooth_up, whole.smooth_up);
      EXPECT_EQ(paused.smooth_x, whole.smooth_x);
      EXPECT_EQ(paused.smooth_y, whole.smooth_y);
      EXPECT_GE(launches, cut == 16 ? min_launches : 1);
    }
  }
}

struct SmallPlace {
  Formula formula;
  const char *center_re, *center_im, *width;
  int min_launches = 1;
};

TEST(PausedPixels, below_the_range_of_f64_end_as_if_they_had_not_paused) {
  // At 1/4, differences grow with the count alone. Quiet steps of the Tricorn and
  // of z^3 + c are not paused.
  const SmallPlace places[] = {
      {Formula(), "-2", "0", "1e-340"},          {Formula(), "0.25", "0", "1e-400"},
      {kShip, "0.25", "0", "1e-400", 300},       {kTricorn, "0.25", "0", "1e-400", 5},
      {multibrot(3), "0.2", "0.1", "1e-400"},    {julia("-2", "0"), "-2", "0", "1e-340"},
      {julia("0.25", "0"), "0.5", "0", "1e-400"}};
  for (const SmallPlace& at : places) {
    for (const bool interior : {false, true}) {
      SCOPED_TRACE(::testing::Message() << at.formula.id << " at " << at.center_re);
      Place place{.center_re = at.center_re,
                  .center_im = at.center_im,
                  .width = at.width,
                  .size_px = {3, 2},
                  .iterations = 6000,
                  .smooth = true,
                  .distance = true,
                  .formula = at.formula};
      place.derivative_interior = interior && place.formula.is_mandelbrot();
      const DeepImage image = prepare_image(place);
      expect_same_in_launches(FastTier(image), at.min_launches);
      for (const std::size_t tier : {0U, 1U}) {
        if (image.limits.jumps == 0 && tier == 0) continue;
        const PreciseTable& table = image.precise->table(image);
        expect_same_in_launches(PreciseTier(image, table, tier), at.min_launches);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::deep
