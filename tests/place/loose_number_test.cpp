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
  for (const char* text :
       {"", "x", "1,5", "3,2E18", "400k", "3M", "--5", "2^", "3^5", "1e", "1.5abc"}) {
    EXPECT_EQ(loose_number(text), "") << text;
  }
}

TEST(LooseNumber, ends_where_another_one_begins) {
  EXPECT_EQ(loose_number("3.2E18\n2 hours"), "3.2e18");
  EXPECT_EQ(loose_number("100 2"), "100");
  EXPECT_EQ(loose_number("50 100 iterations"), "50");
}

}  // namespace
}  // namespace tessera::place
