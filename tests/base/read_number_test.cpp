// Text to number: every f64, and nothing else than whole numbers.
#include "base/read_number.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace tessera::base {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ReadReal, gives_back_every_f64_that_is_printed) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    // Every tenth one is subnormal.
    const std::uint64_t bits = i % 10 == 0 ? random() & 0x800FFFFFFFFFFFFF : random();
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(read_real(fmt::format("{}", value)), value);
  }
}

TEST(ReadReal, reads_the_ends_of_the_range_and_rounds_beyond_them) {
  EXPECT_EQ(read_real("4.9e-324"), 4.9e-324);
  EXPECT_EQ(read_real("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);
  EXPECT_EQ(read_real("1e-310"), 1e-310);
  EXPECT_EQ(read_real("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(read_real("1e-5000"), 0.0);
  EXPECT_TRUE(std::signbit(read_real("-1e-5000").value()));
  EXPECT_EQ(read_real("1e5000"), kInfinity);
  EXPECT_EQ(read_real("-1e5000"), -kInfinity);
  EXPECT_EQ(read_real("inf"), kInfinity);
  EXPECT_TRUE(std::isnan(read_real("nan").value()));
  EXPECT_EQ(read_real("0e-99999999999999999999"), 0.0);
}

TEST(ReadReal, takes_nothing_but_a_whole_number) {
  for (const char* text : {"", " ", "-", ".", "e5", "1e", "1 ", " 1", "+1", "1,5", "0x10", "0x1p3",
                           "1.5.2", "1f", "--1", "1e5.5", "five"}) {
    EXPECT_FALSE(read_real(text)) << text;
  }
}

TEST(ReadInteger, takes_all_of_its_range_and_no_more) {
  EXPECT_EQ(read_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(read_integer("9223372036854775808"));
  EXPECT_EQ(read_integer<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_FALSE(read_integer<std::uint64_t>("-1"));
  EXPECT_FALSE(read_integer<int>("2147483648"));
  EXPECT_EQ(read_integer("010"), 10);
}

TEST(ReadInteger, takes_nothing_but_a_whole_number) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1k", "ten"}) {
    EXPECT_FALSE(read_integer(text)) << text;
  }
}

}  // namespace
}  // namespace tessera::base
