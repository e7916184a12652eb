#include "base/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tessera::base {
namespace {

TEST(ParseInteger, takes_whole_numbers_in_range_only) {
  EXPECT_EQ(parse_integer(" 42 ", "--n", 1, 100), 42);
  for (const char* bad :
       {"", "0", "101", "-1", "1.5", "1e3", "0x10", "nan", "12abc", "99999999999999999999"}) {
    EXPECT_THROW(parse_integer(bad, "--n", 1, 100), Error) << bad;
  }
}

TEST(ParseReal, takes_finite_decimal_numbers_only) {
  EXPECT_EQ(parse_real("-0.75", "--x"), -0.75);
  EXPECT_EQ(parse_real("+1e-3", "--x"), 1e-3);
  EXPECT_EQ(parse_real("0e-999", "--x"), 0);
  EXPECT_EQ(parse_real("4e-324", "--x"), std::numeric_limits<double>::denorm_min());
  for (const char* bad :
       {"", "nan", "inf", "-inf", "1e999", "-1e-999", "0x1p3", "1.5x", "+-1", "1 2"}) {
    EXPECT_THROW(parse_real(bad, "--x"), Error) << bad;
  }
}

TEST(ParseBytes, takes_binary_prefixes) {
  EXPECT_EQ(parse_bytes("1000", "--memory"), 1000U);
  EXPECT_EQ(parse_bytes("512M", "--memory"), 512U << 20);
  EXPECT_EQ(parse_bytes("1.5GiB", "--memory"), 3U << 29);
  EXPECT_EQ(parse_bytes("2 GB", "--memory"), std::uint64_t{2} << 30);
  for (const char* bad : {"", "M", "-1M", "12Q", "1..5M", "1MM", "nan"}) {
    EXPECT_THROW(parse_bytes(bad, "--memory"), Error) << bad;
  }
}

TEST(Format, reads_well) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1.5 * (1 << 30)), "1.5 GiB");
  EXPECT_EQ(format_count(17.2e9), "17.2 G");
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_seconds(0.31), "310 ms");
  EXPECT_EQ(format_seconds(12.34), "12.3 s");
  EXPECT_EQ(format_seconds(250), "4 min 10 s");
  EXPECT_EQ(format_seconds(11100), "3 h 05 min");
}

TEST(CountOf, has_a_plural) {
  EXPECT_EQ(count_of(1, "thread"), "1 thread");
  EXPECT_EQ(count_of(2, "thread"), "2 threads");
}

TEST(NaturalKey, sorts_numbers_in_names_by_their_value) {
  std::vector<std::string> names = {"p10", "p2", "p1", "p2a", "a100/b9", "a100/b10", "a20/b1"};
  std::ranges::sort(names, {}, [](const std::string& name) { return natural_key(name); });
  EXPECT_EQ(names,
            (std::vector<std::string>{"a20/b1", "a100/b9", "a100/b10", "p1", "p2", "p2a", "p10"}));
}

TEST(NaturalKey, sorts_numbers_of_any_length) {
  const std::string long_one(300, '9');
  std::vector<std::string> names = {"p1" + std::string(300, '0'), "p" + long_one,
                                    "p18446744073709551616",      "p100000000000000000000",
                                    "p18446744073709551615",      "p3",
                                    "p99999999999999999999",      "p4294967296"};
  std::ranges::sort(names, {}, [](const std::string& name) { return natural_key(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"p3", "p4294967296", "p18446744073709551615",
                                             "p18446744073709551616", "p99999999999999999999",
                                             "p100000000000000000000", "p" + long_one,
                                             "p1" + std::string(300, '0')}));
}

TEST(NaturalKey, ignores_leading_zeros) {
  EXPECT_EQ(natural_key("p007b"), natural_key("p7b"));
  EXPECT_EQ(natural_key("p" + std::string(30, '0')), natural_key("p0"));
  EXPECT_LT(natural_key("p" + std::string(30, '0') + "5"), natural_key("p06"));
  EXPECT_LT(natural_key("p0"), natural_key("p1"));
  EXPECT_LT(natural_key("p01a"), natural_key("p1b"));
}

TEST(FormatDifferentBytes, never_gives_the_same_text_for_different_numbers) {
  using Texts = std::pair<std::string, std::string>;
  EXPECT_EQ(format_different_bytes(8192, 8200), Texts("8192 B", "8200 B"));
  EXPECT_EQ(format_different_bytes(1024, 4096), Texts("1.0 KiB", "4.0 KiB"));
  EXPECT_EQ(format_different_bytes(1e12 + 1, 1e12), Texts("1000000000001 B", "1000000000000 B"));
}

TEST(Nearest, suggests_what_was_probably_meant) {
  const std::vector<std::string> names = {"seahorse", "elephant", "whole"};
  EXPECT_EQ(nearest("seahose", names), "seahorse");
  EXPECT_EQ(nearest("hole", names), "whole");
  EXPECT_EQ(nearest("zzzzzz", names), "");
  EXPECT_EQ(nearest("elefant", names), "elephant");
  EXPECT_EQ(nearest("seahrose", names), "seahorse");
}

TEST(Nearest, suggests_nothing_for_another_word) {
  const std::vector<std::string> names = {"mean", "min", "max", "cpu", "--op", "--seed"};
  for (const char* word : {"median", "mode", "gpu", "--log", "--step", "m", "", "-", "--"}) {
    EXPECT_EQ(nearest(word, names), "") << word;
  }
  EXPECT_EQ(nearest("maen", names), "mean");
  EXPECT_EQ(nearest("cup", names), "cpu");
  EXPECT_EQ(nearest("mux", names), "max");
  EXPECT_EQ(nearest("--sead", names), "--seed");
}

TEST(Split, trims_its_parts) {
  EXPECT_EQ(split(" a, b ,c", ','), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_TRUE(split("  ", ',').empty());
}

}  // namespace
}  // namespace tessera::base
