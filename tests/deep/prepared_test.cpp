// One image for all threads of a process.
#include "deep/prepared.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "deep/memory.hpp"

namespace tessera::deep {
namespace {

Place place_of(const char* width, bool smooth) {
  return {.center_re = "-17548776662466927e-16",
          .center_im = "0",
          .width = width,
          .size_px = {64, 48},
          .iterations = 300,
          .smooth = smooth};
}

TEST(Prepared, is_made_once_for_all_threads) {
  std::vector<std::shared_ptr<const DeepImage>> images(4);
  {
    std::vector<std::jthread> threads;
    for (auto& image : images) {
      threads.emplace_back([&image] { image = prepared(place_of("1e-12", true)); });
    }
  }
  for (const auto& image : images) EXPECT_EQ(image, images.front());
  EXPECT_EQ(prepared(place_of("1e-12", false)), images.front()) << "the same counts";
  EXPECT_NE(prepared(place_of("1e-13", true)), images.front());
  EXPECT_GE(held_bytes(*images.front()), 4U * 64) << "one period";
}

TEST(Prepared, has_smooth_values_if_they_are_wanted_later) {
  EXPECT_EQ(prepared(place_of("1e-14", false))->limits.want_smooth, 0U);
  EXPECT_EQ(prepared(place_of("1e-14", true))->limits.want_smooth, 1U);
}

TEST(Prepared, shares_an_orbit) {
  const auto first = prepared(place_of("1e-16", false));
  const auto second = prepared(place_of("1e-16", true));
  ASSERT_NE(first, second);
  EXPECT_EQ(first->orbit, second->orbit);
}

TEST(Prepared, is_forgotten) {
  const Place place = place_of("1e-16", false);
  std::weak_ptr<const DeepImage> image = prepared(place);
  ASSERT_FALSE(image.expired());
  forget_images();
  EXPECT_TRUE(image.expired());
  EXPECT_FALSE(is_prepared(place));
}

TEST(Prepared, takes_an_orbit_from_elsewhere) {
  const Place place = place_of("1e-15", false);
  const auto image = prepare(place, std::make_shared<const ReferenceOrbit>(orbit_of(place)));
  EXPECT_EQ(prepared(place), image);
  EXPECT_EQ(image->orbit->re, prepare_image(place).orbit->re);
}

}  // namespace
}  // namespace tessera::deep
