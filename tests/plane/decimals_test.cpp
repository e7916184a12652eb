#include "plane/decimals.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::plane {
namespace {

TEST(Decimals, quotients_have_40_digits_where_they_do_not_end) {
  EXPECT_EQ(scaled("4", "1", "2.5E11"), "1.6e-11");
  EXPECT_EQ(scaled("4", "1", "1.5E118"), "2.666666666666666666666666666666666666667e-118");
  EXPECT_EQ(scaled("0.125", "1280", "720"), "0.2222222222222222222222222222222222222222");
  EXPECT_EQ(scaled("+8e-6", "1280", "960"), "0.00001066666666666666666666666666666666666667");
  EXPECT_EQ(scaled("1e-99000", "2", "1"), "2e-99000");
  EXPECT_THROW(scaled("x", "1", "1"), base::Error);
}

TEST(Decimals, the_middle_is_exact) {
  EXPECT_EQ(middle("-0.77", "-0.75"), "-0.76");
  EXPECT_EQ(middle("0.09", "0.105"), "0.0975");
  EXPECT_EQ(middle("-1", "1"), "0");
  EXPECT_EQ(middle("1e-30", "1"), "0.5000000000000000000000000000005");
}

TEST(Decimals, hexadecimal_numbers_are_exact) {
  EXPECT_EQ(decimal_of_hexadecimal("-1.8"), "-1.5");
  EXPECT_EQ(decimal_of_hexadecimal("0.001"), "0.000244140625");
  EXPECT_EQ(decimal_of_hexadecimal("1.8@-2"), "0.005859375");
  EXPECT_EQ(decimal_of_hexadecimal("ff@1"), "4080");
  EXPECT_EQ(decimal_of_binary("-3", -1), "-1.5");
  EXPECT_THROW(decimal_of_hexadecimal("1.8@x"), base::Error);
  EXPECT_THROW(decimal_of_hexadecimal("g"), base::Error);
}

TEST(Decimals, zeros_are_appended_to_the_places) {
  EXPECT_EQ(with_places("-1.5", 4), "-1.5000");
  EXPECT_EQ(with_places("2", 2), "2.00");
  EXPECT_EQ(with_places("1.25e-3", 7), "1.2500e-3");
  EXPECT_EQ(with_places("1.25", 1), "1.25");
}

}  // namespace
}  // namespace tessera::plane
