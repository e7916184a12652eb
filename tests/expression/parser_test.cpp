#include "expression/parser.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "tests/store/image/chance.hpp"

namespace tessera::expression {
namespace {

const std::vector<InputArray> kInputs = {{"speed", base::ElementType::f64},
                                         {"count", base::ElementType::u8},
                                         {"mask", base::ElementType::i32}};

std::string error_of(const std::string& text) {
  try {
    parse(text, kInputs, "--map");
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    return error.what();
  }
}

TEST(Parser, says_where_a_mistake_is_and_what_would_be_right) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"speeed + 1", "--map: column 1: there is no array 'speeed'; did you mean 'speed'?"},
      {"1 + x",
       "--map: column 5: there is no array 'x'; there are speed, count, mask, pi, e, nan, "
       "inf, index"},
      {"squrt(speed)", "--map: column 1: there is no function 'squrt'; did you mean 'sqrt'?"},
      {"sqrt + 1", "--map: column 1: sqrt is a function; write sqrt(...)"},
      {"sqrt(speed, 1)", "--map: column 1: sqrt takes 1 value, not 2"},
      {"where(mask, 1)", "--map: column 1: where takes 3 values, not 2"},
      {"speed +", "--map: column 8: ends where a value should be"},
      {"(speed", "--map: column 7: ends where an operator or ')' should be"},
      {"speed)", "--map: column 6: no parenthesis is open"},
      {"speed, mask", "--map: column 6: the comma is in no function's parentheses"},
      {"2speed", "--map: column 2: a number ends here; a product needs *"},
      {"1.2.3", "--map: column 4: a number ends here; a product needs *"},
      {"speed mask", "--map: column 7: 'mask' is not an operator"},
      {"speed && mask",
       "--map: column 7: there is no '&&'; write & with both sides in parentheses"},
      {"speed and mask",
       "--map: column 7: there is no 'and'; write & with both sides in parentheses"},
      {"not mask", "--map: column 1: there is no 'not'; write ~(...)"},
      {"speed ^ 2", "--map: column 7: there is no '^'; a power is x**y"},
      {"mask = 2", "--map: column 6: there is no '='; compare with =="},
      {"1 < speed < 2",
       "--map: column 11: comparisons do not follow one another; write (x < y) & (y < z)"},
      {"speed & mask",
       "--map: column 7: & takes bools and integers; put comparisons in parentheses"},
      {"u8(speed) & i8(speed)",
       "--map: column 11: & of u8 and signed integers has no type; cast them, as in i8(x)"},
      {"~speed", "--map: column 1: ~ takes bools and integers"},
      {"-(speed < 1)", "--map: column 1: - takes numbers; cast the bools, as in i1(x)"},
      {"count + 300", "--map: column 7: 300 does not fit u1; write f8(300) or another type"},
      {"count * -1", "--map: column 7: -1 does not fit u1; write f8(-1) or another type"},
      {"mask ** -1", "--map: column 6: integers have no negative powers; cast them, as in f8(x)"},
      {"1 / 0", "--map: column 3: division of numbers by zero"},
      {"99999999999999999999",
       "--map: column 1: the number is beyond 64 bits; write it as a real number, as in 1e30"},
      {"2 ** 65",
       "--map: column 3: the whole number is beyond 64 bits; write it as a real number, as in "
       "1e30"},
      {"18446744073709551615 ** 3 + mask",
       "--map: column 22: the whole number is beyond 64 bits; write it as a real number, as in "
       "1e30"},
      {"0 ** -1", "--map: column 3: division of numbers by zero"},
      {"speed # 1", "--map: column 7: '#' is not an operator"},
      {"\x1b[0m", "--map: column 1: '\\x1b[0m' is not a value"},
      {".", "--map: column 1: a lone point is no number"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(error_of(text), wanted) << text;
}

TEST(Parser, refuses_what_is_too_long_or_too_deep) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const auto deep = [&](int depth) { return repeated("(", depth) + "1" + repeated(")", depth); };
  EXPECT_EQ(error_of(deep(kMaxDepth - 1)), "");
  EXPECT_EQ(error_of(deep(1000)),
            "--map: column 201: more than 200 parentheses or signs inside each other");
  EXPECT_NE(error_of(repeated("-", 1000) + "1"), "");
  EXPECT_NE(error_of(repeated("2**", 1000) + "1"), "");
  EXPECT_NE(error_of(repeated("abs(", 1000)), "");
  EXPECT_EQ(error_of(repeated("1+", 500'000)),
            "--map: has 1000000 characters; an expression has 65536 at most");
  EXPECT_EQ(error_of("speed" + repeated("+speed", 10'000)), "");
}

TEST(Parser, binds_as_python_does) {
  const std::vector<TestArray> none;
  const std::vector<std::pair<std::string, std::int64_t>> cases = {
      {"2 + 3 * 4", 14}, {"10 - 3 - 2", 5}, {"2 ** 3 ** 2", 512}, {"-2 ** 2", -4},
      {"7 // 2 * 2", 6}, {"1 | 2 & 3", 3},  {"~1 + 1", -1},       {"6 & 3 + 1", 4},
      {"- - 3", 3},      {"2 * -3", -6},    {"20 % 7 * 2", 12},   {"+5 - +2", 3}};
  for (const auto& [text, wanted] : cases) {
    EXPECT_EQ(values_of<std::int64_t>(text, none, 1)[0], wanted) << text;
  }
}

TEST(Parser, computes_equal_values_once) {
  const auto size = [](const std::string& text) {
    return parse(text, kInputs, "--map").nodes.size();
  };
  EXPECT_EQ(size("speed * speed"), 2U);
  EXPECT_EQ(size("(speed + 1) * (speed + 1)"), 4U);
  EXPECT_EQ(size("f8(2) * f8(3) + speed"), 3U);
  EXPECT_EQ(size("speed ** 2"), size("speed * speed"));
  EXPECT_EQ(size("where(1, speed, mask)"), 1U);
}

/// Any text is a program or one line of an error.
TEST(Parser, survives_any_text) {
  auto random = store::chance(71);
  const std::vector<std::string> words = {"speed",
                                          "count",
                                          "mask",
                                          "(",
                                          ")",
                                          ",",
                                          "+",
                                          "-",
                                          "*",
                                          "/",
                                          "//",
                                          "%",
                                          "**",
                                          "<",
                                          "<=",
                                          "==",
                                          "!=",
                                          ">",
                                          "&",
                                          "|",
                                          "~",
                                          "1",
                                          "0",
                                          "2",
                                          "0.5",
                                          "1e300",
                                          "nan",
                                          "inf",
                                          "pi",
                                          "e",
                                          "index",
                                          " ",
                                          "index7",
                                          "where(",
                                          "min(",
                                          "sqrt(",
                                          "f4(",
                                          "f2(",
                                          "i1(",
                                          "u8(",
                                          "bool(",
                                          "abs(",
                                          "\n",
                                          "\xff",
                                          "=",
                                          "!",
                                          "&&",
                                          "18446744073709551615",
                                          "9223372036854775808",
                                          "1e-400"};
  for (int i = 0; i < 20'000 * store::times(); ++i) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += words[random() % words.size()];
    if (random() % 8 == 0 && !text.empty())
      text[random() % text.size()] = static_cast<char>(random());
    EXPECT_EQ(error_of(text).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::expression
