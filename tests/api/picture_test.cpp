// A picture of values in memory has the bytes that `tessera color` makes of the file.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tessera/image.hpp"

namespace {

using tessera::Options;

tessera::ImageValues image_of(const std::vector<std::uint16_t>& counts) {
  return {.width = 4,
          .height = 2,
          .limit = 100,
          .values = {.data = counts.data(), .type = tessera::Type::u16, .shape = {2, 4}}};
}

TEST(ApiPicture, is_a_png_file) {
  const std::vector<std::uint16_t> counts = {1, 2, 3, 100, 5, 6, 7, 8};
  const auto png = picture(image_of(counts));
  ASSERT_GT(png.size(), 60U);
  EXPECT_EQ(png[1], std::byte{'P'});
  EXPECT_NE(picture(image_of(counts), {{"palette", "ember"}}), png);
  EXPECT_NE(picture(image_of(counts), {{"equalize", "true"}}), png);
  EXPECT_NE(picture(image_of(counts), {{"scale", "2"}}), png);
  EXPECT_GT(picture(image_of(counts), {{"png-depth", "16"}}).size(), png.size());
}

TEST(ApiPicture, refuses_what_it_does_not_know) {
  const std::vector<std::uint16_t> counts(8);
  for (const Options& look : {Options{{"palette", "umber"}}, Options{{"colour", "red"}},
                              Options{{"scale", "0"}}, Options{{"distance", "1"}}}) {
    EXPECT_THROW(picture(image_of(counts), look), tessera::Error) << look.front().first;
  }
  tessera::ImageValues wrong = image_of(counts);
  wrong.width = 3;
  EXPECT_THROW(picture(wrong), tessera::Error);
}

}  // namespace
