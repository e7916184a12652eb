#include "place/loose_number.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tessera::place {
namespace {

TEST(LooseNumber, is_read_as_people_write_it) {
  const std::pair<const char*, const char*> kRead[] = {
      {" -1.76850603383", "-1.76850603383"},
      {"400,000", "400000"},
      {"4,700,000 iterations", "4700000"},
      {"250 000", "250000"},
      {"1'000'000", "1000000"},
      {"3.2E18", "3.2e18"},
      {"3.2e+18", "3.2e18"},
      {"3.2 x 10^18", "3.2e18"},
      {"3.2 \u00d7 10^-18", "3.2e-18"},
      {"3.2*10^{18}", "3.2e18"},
      {"2^10", "1024"},
      {"10^50", "1e50"},
      {"\u22120.5", "-0.5"},
      {"- 0.5", "-0.5"},
      {"+0.5", "0.5"},
      {"300x", "300"},
      {"-1.76, 0.5", "-1.76"},
      {"-0.123456789012345678\n90123456\nzoom", "-0.12345678901234567890123456"},
      {"-0.123 456 789", "-0.123456789"},
      {"`1e5`", "1e5"},
      {".5", ".5"},
  };
  for (const auto& [text, number] : kRead) {
    EXPECT_EQ(loose_number(text), number) << text;
  }
}

TEST(LooseNumber, is_not_guessed) {
  for (const char* text : {"",
                           "x",
                           "1,5",
                           "3,2E18",
                           "400k",
                           "3M",
                           "--5",
                           "2^",
                           "3^5",
                           "1e",
                           "1.5abc",
                           "3.2 \u00d7 10\u00b9\u2078",
                           "10\u2076",
                           "3.2*10**18",
                           "3.2 x 10 ^ 18",
                           "3.2 x 1e18",
                           "3.2 * 1e18",
                           "3.2 e18",
                           "3.2 \u22c5 10^18",
                           "10 ^ 18",
                           "2**70",
                           "4.700.000",
                           "4.700.000,5",
                           "1.5 million",
                           "5 billion",
                           "1.5.2",
                           "1e5.5",
                           "10^6.5",
                           "3/1000",
                           "1.5 E-3"}) {
    EXPECT_EQ(loose_number(text), "") << text;
  }
}

TEST(LooseNumber, ends_where_another_one_begins) {
  EXPECT_EQ(loose_number("3.2E18\n2 hours"), "3.2e18");
  EXPECT_EQ(loose_number("100 2"), "100");
  EXPECT_EQ(loose_number("50 100 iterations"), "50");
  EXPECT_EQ(loose_number("1.5 end"), "1.5");
  EXPECT_EQ(loose_number("1e5. Then"), "1e5");
  EXPECT_EQ(loose_number("2.5** and"), "2.5");
}

TEST(LooseComplex, has_its_parts_in_any_order) {
  for (const char* text : {"-1.25066 + 0.02012i", "0.02012i - 1.25066", "-1.25066, 0.02012"}) {
    const LooseComplex c = loose_complex(text);
    EXPECT_EQ(c.re + " " + c.im, "-1.25066 0.02012") << text;
  }
}

}  // namespace
}  // namespace tessera::place
