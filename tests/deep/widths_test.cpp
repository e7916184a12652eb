// Widths of the images of a zoom.
#include "deep/widths.hpp"

#include <gtest/gtest.h>

#include "base/decimal.hpp"

namespace tessera::deep {
namespace {

TEST(Widths, that_40_digits_hold_are_exact) {
  EXPECT_EQ(widened("3", "2", 5), "96");
  EXPECT_EQ(widened("1e-10", "2", 39), "54.9755813888");
  EXPECT_EQ(widened("0.75", "1.5", 3), "2.53125");
  EXPECT_EQ(base::normalized_decimal(widened("1e-1000", "2", 100)),
            "1267650600228229401496703205376e-1000");
  EXPECT_EQ(widened("7e-2000", "10", 3), "7e-1997");
}

TEST(Widths, of_the_same_place_are_the_same_whatever_the_zoom_ends_with) {
  // A zoom that goes one image further begins with the same images.
  for (const int times : {3, 150, 900}) {
    EXPECT_EQ(widened("3e-300", "2", times), widened("1.5e-300", "2", times + 1)) << times;
  }
}

TEST(Widths, have_a_ratio_at_any_depth) {
  EXPECT_EQ(ratio_of_widths("3", "1.5"), 2);
  EXPECT_EQ(ratio_of_widths("1e-5000", "4e-5001"), 2.5);
}

}  // namespace
}  // namespace tessera::deep
