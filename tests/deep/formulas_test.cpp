// Images of every formula by perturbation have the counts of the definition.
#include "formulas.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <string>

#include "deep/deep_block.hpp"

namespace tessera::deep {
namespace {

void expect_counts_of_definition(const Place& place) {
  SCOPED_TRACE(std::string(kernels::kFormulas[place.formula.id].name) + " at " + place.center_re +
               "," + place.center_im + " width " + place.width);
  const DeepImage image = prepare_image(place);
  const base::ImageSize& size = place.size_px;
  const DeepBlock block = render_block(image, {0, 0, size.width, size.height});
  int wrong = 0;
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    const CountedPixel truth = pixel_by_definition(place, i % size.width, i / size.width);
    wrong += block.counts[static_cast<std::size_t>(i)] != truth.count ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Formulas, have_the_counts_of_the_definition_in_whole_sets) {
  for (const Formula& of : {kShip, kTricorn, multibrot(3), multibrot(4), multibrot(8),
                            julia("-0.8", "0.156"), julia("-6", "0"), julia("0", "1")}) {
    for (const double bailout : {2.0, 0.7, 300.0}) {
      expect_counts_of_definition({.center_re = "-0.1",
                                   .center_im = "0.05",
                                   .width = "7",
                                   .size_px = {40, 26},
                                   .iterations = 200,
                                   .bailout = bailout,
                                   .formula = of});
    }
  }
}

// The powers of numbers within so high a bailout are beyond f64, where differences are NaN.
TEST(Formulas, have_true_counts_where_a_power_overflows) {
  for (const auto& [degree, bailout] :
       {std::pair(8, 1e60), {8, 1e100}, {7, 1.1e75}, {4, 1e100}, {3, 1e100}}) {
    expect_counts_of_definition({.center_re = "0.1",
                                 .center_im = "0.2",
                                 .width = "10",
                                 .size_px = {27, 21},
                                 .iterations = 9,
                                 .bailout = bailout,
                                 .formula = multibrot(degree)});
  }
}

// On the real axis the imaginary parts of the reference are 0 or far below the real ones.
TEST(Formulas, fold_at_parts_far_below_f64s_range) {
  for (const char* width : {"1e-12", "1e-60", "1e-90", "1e-330", "1e-400"}) {
    for (const char* im : {"0", "1e-350", "-3e-401"}) {
      expect_counts_of_definition({.center_re = "-1.9408",
                                   .center_im = im,
                                   .width = width,
                                   .size_px = {9, 7},
                                   .iterations = 1500,
                                   .formula = kShip});
    }
  }
}

/// -2^(1/n), to 400 digits.
std::string negative_root_of_2(unsigned long n) {
  BigReal root(1400);
  mpfr_set_ui(root.get(), 2, MPFR_RNDN);
  mpfr_rootn_ui(root.get(), root.get(), n, MPFR_RNDN);
  char* text = nullptr;
  mpfr_asprintf(&text, "-%.400Rf", root.get());
  const std::string copy(text);
  mpfr_free_str(text);
  return copy;
}

// -2, i and others lead to cycles that repel, so that nearly all pixels near them escape.
TEST(Formulas, have_true_counts_near_points_of_misiurewicz) {
  for (const char* width : {"1e-20", "1e-100", "1e-340"}) {
    Place place{
        .center_re = "-2", .center_im = "0", .width = width, .size_px = {7, 6}, .iterations = 3000};
    for (const Formula& of : {kShip, kTricorn, julia("-2", "0"), julia("0", "1")}) {
      place.formula = of;
      expect_counts_of_definition(place);
    }
    for (const int degree : {4, 6, 8}) {
      place.center_re = negative_root_of_2(static_cast<unsigned long>(degree - 1));
      place.formula = multibrot(degree);
      expect_counts_of_definition(place);
    }
    place.center_re = "0";
    place.center_im = "1";
    place.formula = julia("0", "1");
    expect_counts_of_definition(place);
  }
}

// Pixels beside a point that leads to 0 come so close to each other that their distance needs
// twice as many bits.
TEST(Formulas, separate_pixels_of_a_julia_set_beside_0) {
  for (const char* width : {"1e-10", "1e-25", "1e-80", "1e-170"}) {
    expect_counts_of_definition({.center_re = "0",
                                 .center_im = "0",
                                 .width = width,
                                 .size_px = {8, 7},
                                 .iterations = 4000,
                                 .formula = julia("0", "1")});
  }
}

TEST(Formulas, count_0_where_a_julia_sets_pixel_is_outside) {
  Place place{.center_re = "1.2",
              .center_im = "1.6",
              .width = "1e-30",
              .size_px = {8, 6},
              .iterations = 100,
              .smooth = true,
              .formula = julia("-0.8", "0.156")};
  expect_counts_of_definition(place);  // on the circle
  place.center_re = "300";
  const DeepBlock block = render_block(prepare_image(place), {0, 0, 8, 6});
  const CountedPixel truth = pixel_by_definition(place, 0, 0);
  EXPECT_EQ(block.counts.front(), 0U);
  EXPECT_EQ(truth.count, 0U);
  EXPECT_EQ(truth.smooth_m, 0U);
  EXPECT_EQ(block.smooth.front(),
            static_cast<float>(kernels::ts_smooth_of(2, 0, truth.smooth_radius2)));
}

// Such pixels escape before f64 holds their difference from the reference.
TEST(Formulas, have_smooth_values_at_the_last_count_of_a_deep_julia_set) {
  Place place{.center_re = "1.6",
              .center_im = "0",
              .width = "1e-100",
              .size_px = {4, 3},
              .iterations = 100,
              .smooth = true,
              .formula = julia("-0.8", "0.156")};
  const std::uint64_t count = pixel_by_definition(place, 0, 0).count;
  ASSERT_LT(count, place.iterations);
  for (const std::uint64_t more : {1U, 2U, 3U}) {
    place.iterations = count + more;
    const DeepBlock block = render_block(prepare_image(place), {0, 0, 4, 3});
    const CountedPixel truth = pixel_by_definition(place, 0, 0);
    EXPECT_EQ(block.counts.front(), truth.count);
    const auto smooth_m = static_cast<double>(truth.smooth_m);
    EXPECT_EQ(block.smooth.front(),
              static_cast<float>(kernels::ts_smooth_of(2, smooth_m, truth.smooth_radius2)));
  }
}

}  // namespace
}  // namespace tessera::deep
