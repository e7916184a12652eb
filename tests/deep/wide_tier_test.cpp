// Numbers of 190 bits against MPFR, and pixels that they count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "deep/deep_block.hpp"

namespace tessera::deep {
namespace {

constexpr std::int64_t kBits = 500;

BigReal random_real(std::mt19937_64& random, std::int64_t exponent) {
  BigReal value(kBits);
  for (int i = 0; i < 7; ++i) {
    mpfr_add_ui(value.get(), value.get(), random() >> 4, MPFR_RNDN);
    mpfr_div_2ui(value.get(), value.get(), 60, MPFR_RNDN);
  }
  mpfr_mul_2si(value.get(), value.get(), static_cast<long>(exponent), MPFR_RNDN);
  if (random() % 2 == 0) mpfr_neg(value.get(), value.get(), MPFR_RNDN);
  return value;
}

BigComplex random_complex(std::mt19937_64& random) {
  const auto exponent = static_cast<std::int64_t>(random() % 600) - 300;
  const auto other = exponent - static_cast<std::int64_t>(random() % 4 == 0 ? random() % 300 : 0);
  return {random_real(random, exponent), random_real(random, other)};
}

/// integer 2^e, exactly.
void set(BigReal& value, const kernels::TsLimbs3& limbs, std::int64_t e) {
  const kernels::TsLimbs3 size = kernels::ts_size3(limbs);
  mpfr_set_zero(value.get(), 1);
  for (std::size_t i = 3; i-- > 0;) {
    mpfr_mul_2ui(value.get(), value.get(), 64, MPFR_RNDN);
    mpfr_add_ui(value.get(), value.get(), size.at[i], MPFR_RNDN);
  }
  mpfr_mul_2si(value.get(), value.get(), static_cast<long>(e), MPFR_RNDN);
  if (limbs.at[2] >> 63 != 0) mpfr_neg(value.get(), value.get(), MPFR_RNDN);
}

BigComplex big(const WideComplex& z) {
  BigComplex result{BigReal(kBits), BigReal(kBits)};
  set(result.re, z.re, z.e - 190);
  set(result.im, z.im, z.e - 190);
  return result;
}

double size_of(const BigComplex& z) {
  BigReal size(kBits);
  mpfr_hypot(size.get(), z.re.get(), z.im.get(), MPFR_RNDN);
  return mpfr_get_d(size.get(), MPFR_RNDN);
}

double distance(const BigComplex& a, const BigComplex& b) {
  BigComplex difference{BigReal(kBits), BigReal(kBits)};
  mpfr_sub(difference.re.get(), a.re.get(), b.re.get(), MPFR_RNDN);
  mpfr_sub(difference.im.get(), a.im.get(), b.im.get(), MPFR_RNDN);
  return size_of(difference);
}

TEST(WideComplex, has_the_highest_bits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const BigComplex z = random_complex(random);
    EXPECT_LE(distance(big(wide_complex(z)), z), 0x1p-187 * size_of(z));
    EXPECT_NEAR(magnitude(wide_complex(z)).value() / size_of(z), 1, 1e-15);
  }
}

/// re + i im, exactly.
BigComplex exactly(double re, double im) {
  BigComplex z{BigReal(kBits), BigReal(kBits)};
  mpfr_set_d(z.re.get(), re, MPFR_RNDN);
  mpfr_set_d(z.im.get(), im, MPFR_RNDN);
  return z;
}
WideComplex wide(double re, double im) {
  return wide_complex(exactly(re, im));
}

TEST(WideComplex, holds_an_f64) {
  for (const double value : {1.0, -1.0, 625.0, -4.0, 0x1p-1060, -0x1.fffffffffffffp1023}) {
    EXPECT_EQ(kernels::ts_wide_from(value) + wide(-value, 0), WideComplex{}) << value;
  }
  EXPECT_EQ(kernels::ts_wide_re(wide(0.5, -625)), 0.5);
  EXPECT_EQ(kernels::ts_wide_im(wide(0.5, -625)), -625);
  EXPECT_EQ(wide(0, 0), WideComplex{});
}

TEST(WideComplex, multiplies_and_adds) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 4000; ++i) {
    const WideComplex a = wide_complex(random_complex(random));
    const WideComplex b = wide_complex(random_complex(random));
    const BigComplex x = big(a);
    const BigComplex y = big(b);
    BigComplex product{BigReal(kBits), BigReal(kBits)};
    mpfr_fmms(product.re.get(), x.re.get(), y.re.get(), x.im.get(), y.im.get(), MPFR_RNDN);
    mpfr_fmma(product.im.get(), x.re.get(), y.im.get(), x.im.get(), y.re.get(), MPFR_RNDN);
    EXPECT_LE(distance(big(a * b), product), 0x1p-187 * size_of(product));
    BigComplex sum{BigReal(kBits), BigReal(kBits)};
    mpfr_add(sum.re.get(), x.re.get(), y.re.get(), MPFR_RNDN);
    mpfr_add(sum.im.get(), x.im.get(), y.im.get(), MPFR_RNDN);
    EXPECT_LE(distance(big(a + b), sum),
              0x1p-187 * size_of(sum) + 0x1p-250 * std::max(size_of(x), size_of(y)));
  }
  const WideComplex one = wide(1, 0);
  EXPECT_EQ(one * one, one);
  EXPECT_EQ(one + WideComplex{}, one);
  EXPECT_EQ(one * WideComplex{}, WideComplex{});
  const WideComplex minus = wide(-1, -1);
  EXPECT_EQ(minus * minus, wide(0, 2));
}

TEST(WideComplex, cancels_to_the_last_bit) {
  const WideComplex one = wide(1, 1);
  const WideComplex less = wide(-1, -1) + wide(0x1p-150, 0);
  EXPECT_EQ(one + less, wide(0x1p-150, 0));
  EXPECT_EQ(one + wide(-1, -1), WideComplex{});
}

struct WideCase {
  const char* name;
  Place place;
};
void PrintTo(const WideCase& c, std::ostream* out) {
  *out << c.name;
}

class WideTierCounts : public testing::TestWithParam<WideCase> {};

/// The tier counts every pixel, though it gets few of them in a render.
TEST_P(WideTierCounts, are_those_of_the_definition) {
  Place place = GetParam().place;
  place.distance = place.smooth;
  const DeepImage image = prepare_image(place);
  const WideTier tier(image);
  std::uint64_t steps = 0;
  for (std::int64_t y = 0; y < place.size_px.height; ++y) {
    for (std::int64_t x = 0; x < place.size_px.width; ++x) {
      const auto [pixel, taken] = tier.count(image, x, y);
      steps += taken;
      ASSERT_TRUE(pixel) << x << ", " << y;
      const CountedPixel wanted = pixel_by_definition(place, x, y);
      EXPECT_EQ(pixel->count, wanted.count) << x << ", " << y;
      if (!place.smooth || wanted.count == place.iterations) continue;
      EXPECT_EQ(pixel->smooth_m, wanted.smooth_m);
      EXPECT_NEAR(pixel->smooth_radius2 / wanted.smooth_radius2, 1, 1e-14);
      EXPECT_NEAR(pixel->smooth_slope2 / wanted.smooth_slope2, 1, 1e-10);
      const double size = std::hypot(wanted.smooth_right, wanted.smooth_up);
      EXPECT_NEAR(pixel->smooth_right, wanted.smooth_right, 1e-10 * size);
      EXPECT_NEAR(pixel->smooth_up, wanted.smooth_up, 1e-10 * size);
      EXPECT_NEAR(pixel->smooth_x, wanted.smooth_x, 1e-10 * std::sqrt(wanted.smooth_radius2));
      EXPECT_NEAR(pixel->smooth_y, wanted.smooth_y, 1e-10 * std::sqrt(wanted.smooth_radius2));
    }
  }
  EXPECT_GT(steps, 0U);
}

const WideCase kWideCases[] = {
    {"spiral",
     {"-0.743643887037151", "0.131825904205330", "3.85e-11", {12, 8}, 14000, 2, true, true}},
    {"needle",
     {"-1.759817130804847813610825010561798238243999999999999999999800",
      "-0.012593310799749865383746631843264858450340000000000000000000",
      "4e-14",
      {11, 7},
      4036,
      625,
      true,
      true}},
    {"nucleus",
     {"-1.7548776662466927600495088963585286918946", "0", "1e-28", {9, 9}, 900, 2, true, false}},
    {"tip", {"-2", "0", "1e-400", {7, 6}, 2000, 625, true, false}},
};

INSTANTIATE_TEST_SUITE_P(Places, WideTierCounts, testing::ValuesIn(kWideCases),
                         [](const auto& test) { return std::string(test.param.name); });

/// An orbit that is not kept with 190 bits is computed again.
TEST(WideTier, has_the_same_elements_if_they_are_not_kept) {
  const Place place = kWideCases[0].place;
  const DeepImage kept = prepare_image(place);
  OrbitLimits limits = orbit_limits(place);
  limits.wide = false;
  const DeepImage again = make_image(place, compute_orbit(orbit_start(place), limits));
  ASSERT_TRUE(kept.orbit->is_wide());
  ASSERT_FALSE(again.orbit->is_wide());
  const WideTier a(kept);
  const WideTier b(again);
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  for (std::size_t m = 0; m < a.nodes().size(); ++m) EXPECT_EQ(a.nodes()[m].z, b.nodes()[m].z) << m;
}

/// A pixel within 1e-40 of a boundary between counts: 106 bits do not suffice.
TEST(WideTier, counts_what_106_bits_leave_uncertain) {
  // The orbit of -2 stays on the circle of radius 2; pixels below it are inside or far outside.
  const Place place{.center_re = "-1.99999999999999999999999999999999999999999999",
                    .center_im = "0",
                    .width = "1e-44",
                    .size_px = {4, 4},
                    .iterations = 3000};
  const DeepBlock block = render_block(prepare_image(place), {0, 0, 4, 4});
  for (std::size_t i = 0; i < block.counts.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(block.counts[i], pixel_by_definition(place, at % 4, at / 4).count) << i;
  }
}

}  // namespace
}  // namespace tessera::deep
