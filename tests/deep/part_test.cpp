// The place of a part of an image.
#include "deep/part.hpp"

#include <gtest/gtest.h>

namespace tessera::deep {
namespace {

Place whole_of(const char* width) {
  return {.center_re = "-1.75", .center_im = "25e-2", .width = width, .size_px = {64, 32}};
}

double value_of(const std::string& text) {
  return BigReal(text, 400).scaled().value();
}

double distance(const std::string& a, const std::string& b) {
  BigReal difference(a, 4000);
  mpfr_sub(difference.get(), difference.get(), BigReal(b, 4000).get(), MPFR_RNDN);
  return difference.scaled().value();
}

TEST(Part, of_the_whole_is_the_whole) {
  const Place part = part_of(whole_of("64e-30"), {0, 0, 64, 32});
  EXPECT_EQ(distance(part.center_re, "-1.75"), 0);
  EXPECT_EQ(distance(part.center_im, "0.25"), 0);
  EXPECT_EQ(value_of(part.width), 64e-30);
}

TEST(Part, has_its_centre_and_its_width) {
  // Columns 8 to 24 and rows 20 to 24: 16 pixels left of the middle, 6 below it.
  const Place part = part_of(whole_of("64e-200"), {8, 20, 16, 4});
  EXPECT_DOUBLE_EQ(distance(part.center_re, "-1.75"), -16e-200);
  EXPECT_DOUBLE_EQ(distance(part.center_im, "0.25"), -6e-200);
  EXPECT_DOUBLE_EQ(value_of(part.width), 16e-200);
  EXPECT_EQ(part.size_px, (base::ImageSize{16, 4}));
}

TEST(Part, keeps_its_digits_below_the_range_of_f64) {
  const Place part = part_of(whole_of("64e-1000"), {63, 0, 1, 1});
  const Place again = part_of(part, {0, 0, 1, 1});
  EXPECT_EQ(BigReal(part.width, 64).scaled().e, BigReal("1e-1000", 64).scaled().e);
  EXPECT_GE(part.center_re.size(), 1015U);
  EXPECT_EQ(part.center_re.substr(0, 1000), again.center_re.substr(0, 1000));
}

}  // namespace
}  // namespace tessera::deep
