// Whole numbers and times as people write them.
#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::base {
namespace {

TEST(ParseCount, takes_exponents_and_powers_of_1000) {
  const std::vector<std::pair<const char*, std::int64_t>> texts = {
      {"42", 42},
      {" 1e4 ", 10000},
      {"1.5e6", 1500000},
      {"10k", 10000},
      {"10K", 10000},
      {"2.5M", 2500000},
      {"3 G", 3000000000},
      {"0", 0},
      {"0e5", 0},
      {"1.0", 1},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()}};
  for (const auto& [text, value] : texts) {
    EXPECT_EQ(parse_count(text, "--n", 0, std::numeric_limits<std::int64_t>::max()), value) << text;
  }
}

TEST(ParseCount, takes_nothing_that_is_not_whole_or_out_of_range) {
  for (const char* bad :
       {"", " ", "k", "e4", "1.5", "1e-1", "1e", "1m", "10kk", "1e4k", "0x10", "nan", "inf", "101",
        "-1", "1e19", "1e999999999999", "99999999999999999999", "1.00000000000000000000001"}) {
    EXPECT_THROW(parse_count(bad, "--n", 0, 100), Error) << bad;
  }
}

TEST(ParseDuration, adds_up_parts_with_units) {
  const std::vector<std::pair<const char*, double>> texts = {
      {"90", 90},     {"1.5", 1.5},           {"0", 0},     {"1h30m", 5400}, {"1.5h", 5400},
      {"2 min", 120}, {"1d 2h 3m 4s", 93784}, {"1e3", 1000}};
  for (const auto& [text, seconds] : texts) EXPECT_EQ(parse_duration(text, "--t"), seconds) << text;
  for (const char* bad : {"", "h", "1x", "1h30", "-1", "-1h", "1 2", "1..5h", "h1", "nan", "inf"}) {
    EXPECT_THROW(parse_duration(bad, "--t"), Error) << bad;
  }
}

}  // namespace
}  // namespace tessera::base
