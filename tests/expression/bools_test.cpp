// Bools are true or false, with NumPy 2's types, and never the bytes that hold them.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "evaluated.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;
using Truths = std::vector<std::uint8_t>;

/// m and n are bools, with all four pairs; a is i4, b f8, c u1.
std::vector<TestArray> bools_and_numbers() {
  std::vector<TestArray> all = {array_of("m", ElementType::u8, Truths{0, 1, 0, 1}),
                                array_of("n", ElementType::u8, Truths{0, 0, 1, 1}),
                                array_of("a", ElementType::i32, std::vector{1, 2, 3, 4}),
                                array_of("b", ElementType::f64, std::vector{.5, .5, .5, .5}),
                                array_of("c", ElementType::u8, Truths{0, 2, 255, 1})};
  all[0].array.is_boolean = all[1].array.is_boolean = true;
  return all;
}

std::string result_name(const std::string& text) {
  return std::string(name_of(parsed(text, bools_and_numbers()).type));
}

std::string refusal_of(const std::string& text) {
  try {
    parsed(text, bools_and_numbers());
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

TEST(Bools, stay_bools_where_numpy_keeps_them) {
  const std::vector<std::pair<std::string, Truths>> cases = {
      {"m", {0, 1, 0, 1}},           {"~m", {1, 0, 1, 0}},
      {"m + n", {0, 1, 1, 1}},       {"m * n", {0, 0, 0, 1}},
      {"m & ~n", {0, 1, 0, 0}},      {"m | n", {0, 1, 1, 1}},
      {"min(m, n)", {0, 0, 0, 1}},   {"max(m, n)", {0, 1, 1, 1}},
      {"abs(m)", {0, 1, 0, 1}},      {"floor(m)", {0, 1, 0, 1}},
      {"m < n", {0, 0, 1, 0}},       {"m == n", {1, 0, 0, 1}},
      {"m == 1", {0, 1, 0, 1}},      {"m < 2", {1, 1, 1, 1}},
      {"m > -1", {1, 1, 1, 1}},      {"m != 300", {1, 1, 1, 1}},
      {"m == 0.5", {0, 0, 0, 0}},    {"m <= 18446744073709551615", {1, 1, 1, 1}},
      {"bool(c)", {0, 1, 1, 1}},     {"bool(b)", {1, 1, 1, 1}},
      {"isnan(m)", {0, 0, 0, 0}},    {"where(~m, n, m)", {0, 1, 1, 1}},
      {"bool(nan)", {1, 1, 1, 1}},   {"~~m", {0, 1, 0, 1}},
      {"~(m + m)", {1, 0, 1, 0}},    {"where(c, m, n)", {0, 1, 0, 1}},
      {"m == (c > 1)", {1, 1, 0, 0}}};
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(result_name(text), "bool") << text;
    EXPECT_EQ(values_of<std::uint8_t>(text, bools_and_numbers(), 4), wanted) << text;
  }
}

TEST(Bools, become_the_types_of_numbers_that_they_meet) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"m + 1", "i8"},   {"m * 200", "i8"},        {"m * 0.5", "f8"},     {"m - 1", "i8"},
      {"m / n", "f8"},   {"m // n", "i1"},         {"m % n", "i1"},       {"m ** n", "i1"},
      {"m ** 2", "i8"},  {"m + a", "i4"},          {"m * c", "u1"},       {"m & c", "u1"},
      {"m | 1", "i8"},   {"max(m, 2)", "i8"},      {"m ** 0.5", "f8"},    {"m + f2(b)", "f2"},
      {"sqrt(m)", "f2"}, {"sin(m)", "f2"},         {"rint(m)", "f2"},     {"where(m, n, 1)", "i8"},
      {"i1(m)", "i1"},   {"where(m, n, a)", "i4"}, {"fma(m, m, a)", "f8"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(result_name(text), wanted) << text;
  EXPECT_EQ(values_of<std::int64_t>("m*200 + n*100", bools_and_numbers(), 4),
            (std::vector<std::int64_t>{0, 200, 100, 300}));
  EXPECT_EQ(values_of<std::uint8_t>("m * c", bools_and_numbers(), 4), (Truths{0, 2, 0, 1}));
}

TEST(Bools, have_no_signs) {
  for (const std::string text : {"-m", "+m", "+(a < 2)", "m - n", "sign(m)"}) {
    EXPECT_NE(refusal_of(text).find("takes numbers; cast the bools, as in i1(x)"),
              std::string::npos)
        << text << ": " << refusal_of(text);
  }
  EXPECT_EQ(result_name("+a - -a"), "i4");
}

TEST(Where, of_a_written_condition_has_the_type_of_both_sides) {
  EXPECT_EQ(result_name("where(1, a, b)"), "f8");
  EXPECT_EQ(values_of<double>("where(1, a, b)", bools_and_numbers(), 4),
            (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(result_name("where(0, b, m)"), "f8");
  EXPECT_EQ(result_name("where(nan, m, c)"), "u1");
  EXPECT_EQ(result_name("where(1, m, 2)"), "i8");
  EXPECT_EQ(result_name("where(1, 2, b)"), "f8");
  EXPECT_EQ(result_name("where(1, 2, 0.5)"), "f8");
  EXPECT_EQ(result_name("where(1, 2, 3) * c"), "u1");
  EXPECT_NE(refusal_of("where(1, c, 300)").find("300 does not fit u1"), std::string::npos);
}

TEST(Literals, are_those_of_python) {
  const std::vector<std::pair<std::string, std::int64_t>> whole = {
      {"0", 0},       {"00", 0},
      {"000 + 7", 7}, {"10", 10},
      {"0x1F", 31},   {"0X1f", 31},
      {"0xe+1", 15},  {"0o17", 15},
      {"0O17", 15},   {"0b101", 5},
      {"0B101", 5},   {"0x00ff", 255},
      {"0b0", 0},     {"0x7fffffffffffffff", INT64_MAX}};
  for (const auto& [text, wanted] : whole) {
    EXPECT_EQ(result_name(text), "i8") << text;
    EXPECT_EQ(values_of<std::int64_t>(text, {}, 1)[0], wanted) << text;
  }
  const std::vector<std::pair<std::string, double>> real = {
      {"1.", 1},          {".5", .5},
      {"1e3", 1000},      {"1E3", 1000},
      {"1.5e-3", 1.5e-3}, {"010.5", 10.5},
      {"010e1", 100},     {"08.", 8},
      {"00e5", 0},        {"1e+2", 100},
      {"5e-324", 5e-324}, {"1.7976931348623157e308", std::numeric_limits<double>::max()}};
  for (const auto& [text, wanted] : real) {
    EXPECT_EQ(result_name(text), "f8") << text;
    EXPECT_EQ(values_of<double>(text, {}, 1)[0], wanted) << text;
  }
  EXPECT_EQ(values_of<std::uint64_t>("0xffffffffffffffff", {}, 1)[0], UINT64_MAX);
}

TEST(Literals, that_python_refuses_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"b + 010", "column 5: write 10, or 0o10 if it is octal"},
      {"007 + b", "column 1: write 7, or 0o7 if it is octal"},
      {"09", "column 1: write 9, or 0o9 if it is octal"},
      {"0x", "column 1: no digits of base 16 follow 0x"},
      {"0x + b", "column 1: no digits of base 16 follow 0x"},
      {"b + 0X", "column 5: no digits of base 16 follow 0X"},
      {"0b", "column 1: no digits of base 2 follow 0b"},
      {"0o*b", "column 1: no digits of base 8 follow 0o"},
      {"0xg", "column 1: no digits of base 16 follow 0x"},
      {"0b2", "column 1: no digits of base 2 follow 0b"},
      {"0o8", "column 1: no digits of base 8 follow 0o"},
      {"0b12", "column 4: a number ends here; a product needs *"},
      {"0x1.5", "column 4: a number ends here; a product needs *"},
      {"0x1p3", "column 4: a number ends here; a product needs *"},
      {"1e", "column 2: a number ends here; a product needs *"},
      {"1e+b", "column 2: a number ends here; a product needs *"},
      {"1..2", "column 3: a number ends here; a product needs *"},
      {"3j", "column 2: a number ends here; a product needs *"},
      {"0x10000000000000000",
       "column 1: the number is beyond 64 bits; write it as a real number, as in 1e30"},
      {"1e400", "column 1: the number is beyond f8"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(refusal_of(text), "--map: " + wanted) << text;
}

}  // namespace
}  // namespace tessera::expression
