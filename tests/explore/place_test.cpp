// Places of a page are exact at any depth.
#include "explore/place.hpp"

#include <gtest/gtest.h>

#include "deep/exact_steps.hpp"

namespace tessera::explore {
namespace {

TEST(Places, a_step_of_squares_is_exact) {
  const Place start{.center_re = "-75e-2", .center_im = "0", .span = "3e0"};
  const Place next = moved(start, 2, 3, 5);
  EXPECT_EQ(next.center_re, "15e-1");
  EXPECT_EQ(next.center_im, "-375e-2") << "down";
  EXPECT_EQ(next.span, "75e-2");
}

TEST(Places, a_level_above_has_larger_squares) {
  const Place next = moved({.center_re = "1e-1", .center_im = "0", .span = "3e-1"}, -4, 1, -1);
  EXPECT_EQ(next.span, "48e-1");
  EXPECT_EQ(next.center_re, "49e-1");
  EXPECT_EQ(next.center_im, "48e-1");
}

TEST(Places, a_turned_step_goes_along_the_matrix) {
  const Place start{.center_re = "1e0", .center_im = "2e0", .span = "1e0"};
  const Place quarter = moved(start, 1, 3, 5, {0, -1, 1, 0});
  EXPECT_EQ(quarter.center_re, "35e-1") << "1 + 5 / 2";
  EXPECT_EQ(quarter.center_im, "35e-1") << "2 + 3 / 2";
  const Place sheared = moved(start, 1, 3, 5, {0.75, 0.5, -0.25, 1});
  EXPECT_EQ(sheared.center_re, "875e-3") << "1 + (9 / 4 - 5 / 2) / 2";
  EXPECT_EQ(sheared.center_im, "-875e-3") << "2 + (-3 / 4 - 5) / 2";
}

TEST(Places, turned_steps_are_as_exact_as_pixels_need) {
  const plane::Matrix turn = plane::rounded(plane::rotation(30.0));
  Place place{.center_re = "-1999e-3", .center_im = "1e-7", .span = "7e-3"};
  for (int i = 0; i < 20; ++i) place = moved(place, 24, 5, -7, turn);
  EXPECT_LT(place.center_re.size(), 200U) << "digits do not add up";
  EXPECT_GT(place.center_re.size(), 140U);
}

TEST(Places, the_way_down_to_1e_300_is_exact) {
  Place place{.center_re = "-1999e-3", .center_im = "1e-7", .span = "7e-3"};
  Place back = place;
  constexpr int kLevels = 24;
  constexpr int kSteps = 42;  // 2^-1008
  for (int i = 0; i < kSteps; ++i) place = moved(place, kLevels, 5, -7);
  EXPECT_EQ(place.span, deep::scaled_exactly("7e-3", 1, kLevels * kSteps));
  EXPECT_LT(deep::log2_of(place.span), -1008 - 7);
  // Back by the same steps, from the deepest.
  for (int i = kSteps; i > 0; --i) {
    place = moved(place, 0, -5, 7);
    place = moved(place, -kLevels, 0, 0);
  }
  EXPECT_TRUE(place.same_as(back)) << place.center_re << " " << place.span;
}

TEST(Places, one_of_another_rank_keeps_its_id) {
  Places places;
  const Place other{.id = 7, .center_re = "1e0", .center_im = "0", .span = "1e0"};
  places.keep(other);
  places.keep(other);
  ASSERT_TRUE(places.find(7));
  EXPECT_TRUE(places.find(7)->same_as(other));
  EXPECT_FALSE(places.find(1));
}

TEST(Places, the_same_place_has_the_same_id) {
  Places places;
  const Place first = places.add({.center_re = "1e0", .center_im = "0", .span = "1e0"});
  const Place second = places.add(moved(first, 1, 1, 1));
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(places.add(moved(first, 1, 1, 1)).id, second.id);
  EXPECT_EQ(places.find(first.id)->center_re, "1e0");
  EXPECT_FALSE(places.find(99));
}

TEST(Places, those_that_were_not_used_for_longest_are_forgotten) {
  Places places;
  const Place start = places.add({.center_re = "0", .center_im = "0", .span = "1e0"});
  const Place idle = places.add(moved(start, 0, 1, 0));
  for (std::size_t i = 0; i < Places::kMax; ++i) {
    places.add(moved(start, 0, static_cast<std::int64_t>(i) + 2, 0));
    places.find(start.id);
  }
  EXPECT_TRUE(places.find(start.id));
  EXPECT_FALSE(places.find(idle.id));
}

TEST(ExactSteps, decimals_are_rounded_without_an_exponent) {
  EXPECT_EQ(deep::rounded("-15e-1", 3), "-1.500");
  EXPECT_EQ(deep::rounded("12345e-320", 318), "0." + std::string(315, '0') + "123");
  EXPECT_EQ(deep::rounded("3e2", 0), "300");
}

}  // namespace
}  // namespace tessera::explore
