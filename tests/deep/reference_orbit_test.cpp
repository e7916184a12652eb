// Where reference orbits end, and orbits that are continued.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "deep/deep_block.hpp"
#include "deep/partial_orbit.hpp"

namespace tessera::deep {
namespace {

constexpr std::uint32_t kManyIterations = 4'000'000'000;

Place place_at(const char* re, const char* im, const char* width) {
  return {.center_re = re,
          .center_im = im,
          .width = width,
          .size_px = {9, 9},
          .iterations = kManyIterations};
}

void expect_true_counts(const Place& place) {
  const DeepBlock block = render_block(prepare_image(place), {0, 0, 9, 9});
  for (std::size_t i = 0; i < block.counts.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(block.counts[i], pixel_by_definition(place, at % 9, at / 9).count) << i;
  }
}

TEST(ReferenceOrbits, end_where_they_return_to_zero) {
  // A nucleus of period 3.
  Place place = place_at("-1.7548776662466927600495088963585286918946", "0", "1e-30");
  const ReferenceOrbit orbit = orbit_of(place);
  EXPECT_EQ(orbit.length(), 3);
  EXPECT_TRUE(orbit.periodic);
  EXPECT_FALSE(orbit.escaped);
  place.iterations = 3000;
  expect_true_counts(place);
}

TEST(ReferenceOrbits, end_where_pixels_are_farther_away_than_zero) {
  // The nucleus is known to 1e-9 only: some hundred pixels.
  const ReferenceOrbit fine = orbit_of(place_at("-1.75487766", "0", "1e-12"));
  EXPECT_GT(fine.length(), 3);
  EXPECT_TRUE(fine.periodic);
  const ReferenceOrbit coarse = orbit_of(place_at("-1.75487766", "0", "1e-6"));
  EXPECT_EQ(coarse.length(), 3);
}

TEST(ReferenceOrbits, end_where_they_are_attracted_by_a_cycle) {
  const ReferenceOrbit orbit = orbit_of(place_at("-0.1", "0.1", "1e-30"));
  EXPECT_TRUE(orbit.periodic);
  EXPECT_LT(orbit.length(), 2000);
  Place place = place_at("-0.1", "0.1", "1e-30");
  const DeepBlock block = render_block(prepare_image(place), {0, 0, 3, 1});
  for (const std::uint64_t count : block.counts) EXPECT_EQ(count, kManyIterations);
}

TEST(ReferenceOrbits, that_run_into_a_cycle_end_where_it_is_nearest_to_zero) {
  // Period 3: one element of the cycle is near 0, and no other.
  const ReferenceOrbit orbit = orbit_of(place_at("-1.7549", "0", "1e-30"));
  EXPECT_TRUE(orbit.periodic);
  EXPECT_EQ(orbit.length() % 3, 0);
  EXPECT_LT(std::abs(orbit.re.back()), 0.01);

  Place julia = place_at("0.0001", "0", "1e-30");
  julia.formula = {kernels::TS_FORMULA_julia, 2, "-1.7549", "0"};
  const ReferenceOrbit both = orbit_of(julia);
  EXPECT_EQ((both.first - 1) % 3, 0);
  EXPECT_LT(std::abs(both.re[static_cast<std::size_t>(both.first) - 1]), 0.01);
  EXPECT_EQ(both.re[static_cast<std::size_t>(both.first)], 0.0001);
  EXPECT_LT(std::abs(both.re.back()), 0.01);
  julia.iterations = 3000;
  expect_true_counts(julia);
}

TEST(ReferenceOrbits, that_run_into_a_cycle_leave_few_pixels_uncertain) {
  // A copy of period 1009 in the Tricorn: the pixels nearest to 0 are 1e-49 from it.
  Place place = place_at(
      "0."
      "4353266077218595645789723040662975539256943639652961201836815472346438374583729692161687366"
      "743613037428907780",
      "1."
      "1408743292384233783931619341791729312364480422925346648738757396433104804854709946772867423"
      "236153643734557610",
      "2e-98");
  place.formula.id = kernels::TS_FORMULA_tricorn;
  place.iterations = 14200;
  EXPECT_EQ(render_block(prepare_image(place), {0, 0, 9, 9}).uncertain, 0U);
}

TEST(ReferenceOrbits, do_not_end_on_a_cycle_that_repels) {
  // 0, -2, 2, 2, 2 ...; differences grow by 4.
  const ReferenceOrbit orbit = orbit_of(place_at("-2", "0", "1e-300"));
  EXPECT_GT(orbit.length(), 480);
  EXPECT_LT(orbit.length(), 520);
}

TEST(ReferenceOrbits, that_end_early_leave_counts_true) {
  // Around a minibrot of period 29 whose nucleus is not the centre.
  for (const char* width : {"4e-11", "4e-14", "1e-20"}) {
    SCOPED_TRACE(width);
    Place place = place_at("-0.743643887037158", "0.131825904205312", width);
    place.iterations = 20000;
    expect_true_counts(place);
  }
}

void expect_same(const ReferenceOrbit& a, const ReferenceOrbit& b) {
  EXPECT_EQ(a.re, b.re);
  EXPECT_EQ(a.im, b.im);
  EXPECT_EQ(a.re_low, b.re_low);
  EXPECT_EQ(a.im_low, b.im_low);
  EXPECT_EQ(a.wide, b.wide);
  EXPECT_EQ(a.tiny.size(), b.tiny.size());
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.escaped, b.escaped);
  EXPECT_EQ(a.periodic, b.periodic);
  EXPECT_EQ(a.exhausted, b.exhausted);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.exact_second, b.exact_second);
  EXPECT_EQ(a.bits, b.bits);
}

TEST(PartialOrbit, continues_with_the_same_bits) {
  for (const auto& [re, im, width] : {std::tuple("-0.1", "0.1", "1e-300"),
                                      {"-1.75487766", "0", "1e-900"},
                                      {"-0.75", "1e-3", "1e-80"}}) {
    SCOPED_TRACE(re);
    const Place place = place_at(re, im, width);
    const ReferenceOrbit whole = orbit_of(place);
    ASSERT_GT(whole.length(), 512);
    PartialOrbit first(orbit_start(place), orbit_limits(place));
    first.advance();
    EXPECT_FALSE(first.complete());
    PartialOrbit second(orbit_start(place), orbit_limits(place));
    second.continue_from(first.orbit(), first.state());
    EXPECT_EQ(second.iterations(), first.iterations());
    while (!second.complete()) second.advance();
    expect_same(second.take(), whole);
  }
}

Place place_of(const Formula& formula, const char* re, const char* im) {
  Place place = place_at(re, im, "1e-40");
  place.iterations = 3000;
  place.formula = formula;
  return place;
}

TEST(PartialOrbit, of_other_formulas_continues_with_the_same_bits) {
  const Place julia = place_of({kernels::TS_FORMULA_julia, 2, "0", "1"}, "0.1", "0.2");
  const Place ship = place_of({kernels::TS_FORMULA_burning_ship, 2, {}, {}}, "-1.9408", "0");
  const Place multibrot = place_of({kernels::TS_FORMULA_multibrot, 3, {}, {}}, "0.1", "0.3");
  // Without roundings, and with too few bits for its limit.
  const Formula tricorn{kernels::TS_FORMULA_tricorn, 2, {}, {}};
  const Place exact = place_of(tricorn, "-2", "0");
  const Place rounded =
      place_of(tricorn, (exact.center_re + ".").append(90, '0').append("1").c_str(), "0");
  EXPECT_TRUE(orbit_of(rounded).exhausted);
  for (const Place& place : {julia, ship, multibrot, exact, rounded}) {
    const ReferenceOrbit whole = orbit_of(place);
    auto orbit = std::make_unique<PartialOrbit>(orbit_start(place), orbit_limits(place));
    while (!orbit->complete()) {
      orbit->advance();
      auto next = std::make_unique<PartialOrbit>(orbit_start(place), orbit_limits(place));
      next->continue_from(orbit->orbit(), orbit->state());
      orbit = std::move(next);
    }
    expect_same(orbit->take(), whole);
    EXPECT_EQ(whole.first > 0, place.formula.has_constant());
  }
}

TEST(ReferenceOrbits, of_other_formulas_end_with_an_attracting_cycle) {
  const ReferenceOrbit orbit =
      orbit_of(place_of({kernels::TS_FORMULA_burning_ship, 2, {}, {}}, "-1.9408", "0"));
  EXPECT_TRUE(orbit.periodic);
  EXPECT_LT(orbit.length(), 1000);
}

TEST(TwoThreads, have_the_bits_of_one) {
  for (const std::int64_t bits : {8191, 8192, 20000}) {
    const BigComplex c{BigReal("-0.75", bits), BigReal("1e-3", bits)};
    expect_same(compute_orbit(OrbitStart(c), {.iterations = 500, .threads = 2}),
                compute_orbit(OrbitStart(c), {.iterations = 500, .threads = 1}));
  }
}

}  // namespace
}  // namespace tessera::deep
