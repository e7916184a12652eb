#include "base/decimal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.hpp"

namespace tessera::base {

TEST(NormalizedDecimal, is_one_text_for_all_spellings_of_a_number) {
  for (const std::string_view half : {"0.5", "0.50", "5e-1", "+.5", ".5", "50E-2", "0.0005e+3",
                                      "000.5000", " 0.5 ", "5000000e-7", "5.e-1"}) {
    EXPECT_EQ(normalized_decimal(half), "5e-1") << half;
  }
  EXPECT_EQ(normalized_decimal("-0.750"), "-75e-2");
  EXPECT_EQ(normalized_decimal("1200"), "12e2");
  EXPECT_EQ(normalized_decimal("1"), "1e0");
  EXPECT_EQ(normalized_decimal("1."), "1e0");
}

TEST(NormalizedDecimal, has_one_zero) {
  for (const std::string_view zero :
       {"0", "-0", "+0.000", "0e5", ".0", "0e999999999999999999999"}) {
    EXPECT_EQ(normalized_decimal(zero), "0") << zero;
  }
}

TEST(NearestReal, is_zero_and_infinite_beyond_the_range) {
  EXPECT_EQ(nearest_real("-0.75", "x"), -0.75);
  EXPECT_EQ(nearest_real("1e-1000", "x"), 0);
  EXPECT_EQ(nearest_real("-1e99999999999999999999", "x"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(nearest_real("0." + std::string(500, '0') + "1e600", "x"), 1e99);
  for (const std::string_view bad : {"", "e5", "1e", "nan", "inf", "0x1p3", "1 2"}) {
    EXPECT_THROW(nearest_real(bad, "x"), Error) << bad;
  }
}

TEST(DigitsOf, counts_what_is_written) {
  const auto expect = [](std::string_view text, std::int64_t significant, std::int64_t places,
                         std::int64_t exponent) {
    const DecimalDigits digits = digits_of(text);
    EXPECT_EQ(digits.significant, significant) << text;
    EXPECT_EQ(digits.places, places) << text;
    EXPECT_EQ(digits.exponent, exponent) << text;
  };
  expect("-1.75", 3, 2, 0);
  expect(" 0.001200 ", 4, 6, -3);
  expect("120", 3, 0, 2);
  expect("12.5e-1000", 3, 1001, -999);
  expect(".5", 1, 1, -1);
  expect("5.", 1, 0, 0);
  expect("0.000", 0, 3, 0);
}

TEST(NormalizedDecimal, keeps_every_digit) {
  const std::string digits(300, '7');
  EXPECT_EQ(normalized_decimal("0." + digits + "000"), digits + "e-300");
  EXPECT_EQ(normalized_decimal("0." + std::string(200, '0') + "1e150"), "1e-51");
}

}  // namespace tessera::base
