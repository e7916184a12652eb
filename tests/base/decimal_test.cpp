#include "base/decimal.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(NormalizedDecimal, keeps_every_digit) {
  const std::string digits(300, '7');
  EXPECT_EQ(normalized_decimal("0." + digits + "000"), digits + "e-300");
  EXPECT_EQ(normalized_decimal("0." + std::string(200, '0') + "1e150"), "1e-51");
}

}  // namespace tessera::base
