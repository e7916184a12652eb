// What the memory of a deep image is reckoned from, and what happens without room for its tables.
#include "deep/memory.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "deep/deep_block.hpp"

namespace tessera::deep {
namespace {

/// An orbit of these sizes.
template <class Size>
ReferenceOrbit orbit_of_sizes(std::size_t elements, const Size& size) {
  ReferenceOrbit orbit;
  for (std::size_t m = 0; m < elements; ++m) {
    orbit.re.push_back(m == 0 ? 0 : size(m));
    for (auto* const zeros : {&orbit.im, &orbit.re_low, &orbit.im_low}) zeros->push_back(0);
  }
  orbit.tiny.push_back({0, {}});
  return orbit;
}

TEST(Jumps, are_fewer_than_the_bound) {
  const auto ruler = [](std::size_t m) { return std::exp2(-0.1 * std::countr_zero(m)); };
  const auto falling = [](std::size_t m) { return 1 / (1.0 + static_cast<double>(m)); };
  for (const std::size_t elements : {1, 2, 3, 5, 6, 7, 11, 1000, 4097, 50000}) {
    EXPECT_LE(count_jumps(orbit_of_sizes(elements, ruler)), max_jumps(elements)) << elements;
    EXPECT_LE(count_jumps(orbit_of_sizes(elements, falling)), max_jumps(elements)) << elements;
  }
  // Every second element is a dip, on each level.
  EXPECT_GE(count_jumps(orbit_of_sizes(50000, ruler)), 50000U * 49 / 100);
}

/// -2 is a tip; beside it the counts of some pixels are uncertain even with 106 bits.
Place tip() {
  return {.center_re = "-1.99999999999999999999999999999999999999999999",
          .center_im = "0",
          .width = "1e-44",
          .size_px = {4, 4},
          .iterations = 3000};
}

TEST(Jumps, are_counted_before_the_table_is_made) {
  const Place place{.center_re = "-0.75",
                    .center_im = "1e-3",
                    .width = "1e-30",
                    .size_px = {12, 8},
                    .iterations = 2000};
  const DeepImage image = prepare_image(place);
  const std::size_t jumps = image.table.entries.size() + image.table.scaled_entries.size();
  ASSERT_GT(jumps, 0U);
  EXPECT_LE(jumps, count_jumps(*image.orbit));
  EXPECT_LE(held_bytes(image), table_bytes(place, *image.orbit, 0));
  EXPECT_LT(table_bytes(place, *image.orbit, 0), table_bytes(place, *image.orbit, ~0ULL));
  EXPECT_LE(held_bytes(image) + bytes_of(image, MoreBits::all), max_bytes(image.orbit->re.size()));
}

TEST(MoreBits, take_what_was_reckoned) {
  const DeepImage image = prepare_image(tip());
  const PreciseTable& table = image.precise->table(image);
  EXPECT_LE(table.entries.size(), image.table.entries.size() + image.table.scaled_entries.size());
  EXPECT_LE(
      table.links.size() * sizeof(table.links[0]) + table.entries.size() * sizeof(table.entries[0]),
      bytes_of(image, MoreBits::precise));
}

TEST(MoreBits, are_not_for_images_that_need_not_be_exact) {
  Place place = tip();
  place.exact = false;
  EXPECT_EQ(bytes_of(prepare_image(place), MoreBits::all), 0U);
}

TEST(MoreBits, without_room_for_159_the_counts_are_those_by_definition) {
  const DeepImage image = prepare_image(tip());
  image.precise->limit_bytes(bytes_of(image, MoreBits::precise));
  const DeepBlock block = render_block(image, {0, 0, 4, 4});
  EXPECT_EQ(image.precise->wide(image), nullptr);
  for (std::size_t i = 0; i < block.counts.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(block.counts[i], pixel_by_definition(image.place, at % 4, at / 4).count) << i;
  }
}

TEST(MoreBits, without_room_smooth_values_are_an_error) {
  Place place = tip();
  place.smooth = true;
  const DeepImage image = prepare_image(place);
  image.precise->limit_bytes(bytes_of(image, MoreBits::all) - 1);
  EXPECT_THROW(image.precise->wide(image), base::Error);
  image.precise->limit_bytes(bytes_of(image, MoreBits::all));
  EXPECT_NE(image.precise->wide(image), nullptr);
}

TEST(MoreBits, without_room_for_106_uncertain_pixels_are_an_error) {
  const DeepImage image = prepare_image(tip());
  image.precise->limit_bytes(bytes_of(image, MoreBits::precise) - 1);
  EXPECT_THROW(render_block(image, {0, 0, 4, 4}), base::Error);
}

}  // namespace
}  // namespace tessera::deep
