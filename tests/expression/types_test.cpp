#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "evaluated.hpp"
#include "expression/type.hpp"
#include "kernels/functions/functions.hpp"
#include "statistics/half.hpp"

namespace tessera::expression {
namespace {

using base::ElementType;

/// The type of an expression of an array x of type `x`, and one y of type `y`.
std::string type_of_result(const std::string& text, ElementType x,
                           ElementType y = ElementType::f64) {
  const std::vector<InputArray> inputs = {{"x", x}, {"y", y}};
  return std::string(name_of(parse(text, inputs, "--map").type));
}

TEST(Types, combine_as_numpy_promotes_them) {
  using enum ElementType;
  const std::vector<std::tuple<ElementType, ElementType, std::string>> cases = {
      {i8, i16, "i2"},  {u8, i8, "i2"},   {u32, i32, "i8"}, {u64, i64, "f8"}, {u64, i8, "f8"},
      {u16, i64, "i8"}, {f16, i8, "f2"},  {f16, u16, "f4"}, {f16, i32, "f8"}, {f32, i16, "f4"},
      {f32, u32, "f8"}, {f32, f64, "f8"}, {f16, f32, "f4"}, {u8, u64, "u8"}};
  for (const auto& [x, y, wanted] : cases) {
    EXPECT_EQ(type_of_result("x + y", x, y), wanted);
    EXPECT_EQ(type_of_result("y * x", x, y), wanted);
    EXPECT_EQ(type_of_result("where(x < y, x, y)", x, y), wanted);
  }
}

TEST(Types, of_written_numbers_are_weak) {
  using enum ElementType;
  EXPECT_EQ(type_of_result("x + 1", i8), "i1");
  EXPECT_EQ(type_of_result("2 * x - 1", u16), "u2");
  EXPECT_EQ(type_of_result("x * 0.5", f32), "f4");
  EXPECT_EQ(type_of_result("x * pi", f16), "f2");
  EXPECT_EQ(type_of_result("x * 0.5", i8), "f8");
  EXPECT_EQ(type_of_result("(x < 2) + 1", f32), "i8");
  EXPECT_EQ(type_of_result("x * sqrt(2)", f32), "f4");
  EXPECT_EQ(type_of_result("x + f8(1)", f32), "f8");
  EXPECT_EQ(type_of_result("3 // 2 + 0 * index", f32), "i8");
  EXPECT_EQ(type_of_result("1 / 2", f32), "f8");
}

TEST(Types, of_functions) {
  using enum ElementType;
  EXPECT_EQ(type_of_result("x / x", i8), "f8");
  EXPECT_EQ(type_of_result("x / x", f32), "f4");
  EXPECT_EQ(type_of_result("sqrt(x)", i8), "f2");
  EXPECT_EQ(type_of_result("sqrt(x)", u16), "f4");
  EXPECT_EQ(type_of_result("sqrt(x)", i32), "f8");
  EXPECT_EQ(type_of_result("floor(x)", i32), "i4");
  EXPECT_EQ(type_of_result("isnan(x)", i32), "bool");
  EXPECT_EQ(type_of_result("x == y", i32), "bool");
  EXPECT_EQ(type_of_result("~(x < y)", i32), "bool");
  EXPECT_EQ(type_of_result("(x < y) // (y < x)", i32), "i1");
  EXPECT_EQ(type_of_result("x ** 2", i16), "i2");
  EXPECT_EQ(type_of_result("index + x", u8), "i8");
  EXPECT_EQ(type_of_result("where(x, 1, 2)", u8), "i8");
  EXPECT_EQ(type_of_result("sin(x)", u8), "f2");
  EXPECT_EQ(type_of_result("hypot(x, 1)", f32), "f4");
  EXPECT_EQ(type_of_result("x ** 0.5", i32), "f8");
}

TEST(Values, are_rounded_to_the_nearest_half_ties_to_even) {
  using statistics::half_bits;
  using statistics::round_to_half;
  using statistics::widen_half;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float half = widen_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(half)) {
      EXPECT_EQ(half_bits(half), 0x7e00);
      continue;
    }
    EXPECT_EQ(half_bits(half), bits);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(round_to_half(half)),
              std::bit_cast<std::uint64_t>(static_cast<double>(half)));
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const double next = widen_half(static_cast<std::uint16_t>(bits + 1));
    const double middle = (half + next) / 2;
    const double even = bits % 2 == 0 ? half : next;
    EXPECT_EQ(round_to_half(middle), even) << bits;
    EXPECT_EQ(round_to_half(std::nextafter(middle, next)), next) << bits;
    EXPECT_EQ(round_to_half(std::nextafter(middle, half)), half) << bits;
  }
  EXPECT_EQ(round_to_half(65519.99), 65504);
  EXPECT_EQ(round_to_half(65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(round_to_half(-1e300), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(round_to_half(std::nan(""))));
}

TEST(Values, of_integer_division_are_numpys) {
  const std::vector<std::int32_t> x = {7, -7, 7, -7, 5, -5, INT32_MIN, 0};
  const std::vector<std::int32_t> y = {2, 2, -2, -2, 0, 0, -1, 3};
  const std::vector arrays = {array_of("x", ElementType::i32, x),
                              array_of("y", ElementType::i32, y)};
  EXPECT_EQ(values_of<std::int32_t>("x // y", arrays, x.size()),
            (std::vector<std::int32_t>{3, -4, -4, 3, 0, 0, INT32_MIN, 0}));
  EXPECT_EQ(values_of<std::int32_t>("x % y", arrays, x.size()),
            (std::vector<std::int32_t>{1, 1, -1, -1, 0, 0, 0, 0}));
}

TEST(Values, of_real_division_are_numpys) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {7, -7, 7.5, -0.0, 5, 1, 1, -1};
  const std::vector<double> y = {2, 2, -2, 3, 0, 0.1, inf, inf};
  const std::vector arrays = {array_of("x", ElementType::f64, x),
                              array_of("y", ElementType::f64, y)};
  const auto quotients = values_of<double>("x // y", arrays, x.size());
  EXPECT_EQ(quotients, (std::vector<double>{3, -4, -4, -0.0, inf, 9, 0, -1}));
  EXPECT_TRUE(std::signbit(quotients[3]));
  const auto rests = values_of<double>("x % y", arrays, x.size());
  EXPECT_EQ(rests[0], 1);
  EXPECT_EQ(rests[1], 1);
  EXPECT_EQ(rests[2], -0.5);
  EXPECT_TRUE(std::isnan(rests[4]));
  EXPECT_EQ(rests[7], inf);
}

TEST(Values, wrap_if_they_are_integers) {
  const std::vector<std::uint16_t> x = {65535, 256, 3};
  const std::vector arrays = {array_of("x", ElementType::u16, x)};
  EXPECT_EQ(values_of<std::uint16_t>("x * x", arrays, 3), (std::vector<std::uint16_t>{1, 0, 9}));
  EXPECT_EQ(values_of<std::uint16_t>("-x", arrays, 3),
            (std::vector<std::uint16_t>{1, 65280, 65533}));
  EXPECT_EQ(values_of<std::uint16_t>("x ** 3", arrays, 3),
            (std::vector<std::uint16_t>{65535, 0, 27}));
  EXPECT_EQ(values_of<std::int8_t>("i1(x)", arrays, 3), (std::vector<std::int8_t>{-1, 0, 3}));
}

TEST(Values, are_cut_off_where_an_integer_type_ends) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {1.9, -1.9, 300, -300, nan, 1e30, -1e30};
  const std::vector arrays = {array_of("x", ElementType::f64, x)};
  EXPECT_EQ(values_of<std::int8_t>("i1(x)", arrays, 7),
            (std::vector<std::int8_t>{1, -1, 127, -128, 0, 127, -128}));
  EXPECT_EQ(values_of<std::uint64_t>("u8(x)", arrays, 7),
            (std::vector<std::uint64_t>{1, 0, 300, 0, 0, UINT64_MAX, 0}));
  EXPECT_EQ(values_of<std::int64_t>("i8(x)", arrays, 7),
            (std::vector<std::int64_t>{1, -1, 300, -300, 0, INT64_MAX, INT64_MIN}));
}

TEST(Values, of_signed_and_unsigned_integers_compare_exactly) {
  const std::vector<std::int64_t> x = {-1, INT64_MAX, 5};
  const std::vector<std::uint64_t> y = {UINT64_MAX, (std::uint64_t{1} << 63), 5};
  const std::vector arrays = {array_of("x", ElementType::i64, x),
                              array_of("y", ElementType::u64, y)};
  const auto truth = [&](const std::string& text) {
    const auto values = values_of<std::uint8_t>(text, arrays, 3);
    return std::string{char('0' + values[0]), char('0' + values[1]), char('0' + values[2])};
  };
  EXPECT_EQ(truth("x < y"), "110");
  EXPECT_EQ(truth("x >= y"), "001");
  EXPECT_EQ(truth("x == y"), "001");
  EXPECT_EQ(truth("y > x"), "110");
  EXPECT_EQ(truth("y <= x"), "001");
  EXPECT_EQ(truth("y != x"), "110");
  EXPECT_EQ(truth("x > 18446744073709551615"), "000");
  EXPECT_EQ(truth("-1 < y"), "111");
}

TEST(Values, not_numbers_are_kept_by_extremes_and_found) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, nan, 3};
  const std::vector<float> y = {2, 2, nan};
  const std::vector arrays = {array_of("x", ElementType::f32, x),
                              array_of("y", ElementType::f32, y)};
  const auto least = values_of<float>("min(x, y)", arrays, 3);
  EXPECT_EQ(least[0], 1);
  EXPECT_TRUE(std::isnan(least[1]));
  EXPECT_TRUE(std::isnan(least[2]));
  EXPECT_EQ(values_of<std::uint8_t>("isnan(x) | isnan(y)", arrays, 3),
            (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(values_of<float>("where(isfinite(x), x, -1)", arrays, 3),
            (std::vector<float>{1, -1, 3}));
}

TEST(Values, of_functions_are_those_of_the_kernels) {
  const std::vector<double> x = {0.5, -2, 1e300, 0x1p-1074};
  const std::vector<float> y = {0.5F, -2, 1e30F, 0x1p-149F};
  const std::vector arrays = {array_of("x", ElementType::f64, x),
                              array_of("y", ElementType::f32, y)};
  const auto sines = values_of<double>("sin(x)", arrays, x.size());
  const auto angles = values_of<double>("atan2(x, 3)", arrays, x.size());
  const auto tangents = values_of<float>("tanh(y)", arrays, y.size());
  const auto powers = values_of<float>("y ** 3", arrays, y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(sines[i], kernels::functions::sin(x[i]));
    EXPECT_EQ(angles[i], kernels::functions::atan2(x[i], 3.0));
    EXPECT_EQ(tangents[i], kernels::functions::tanh(y[i]));
    EXPECT_EQ(powers[i], kernels::functions::pow(y[i], 3.0F));
  }
  EXPECT_EQ(values_of<double>("exp(1) * 2 ** 0.5", {}, 1)[0],
            kernels::functions::exp(1.0) * kernels::functions::pow(2.0, 0.5));
}

TEST(Values, of_written_numbers_are_pythons) {
  const std::vector<TestArray> none;
  EXPECT_EQ(values_of<std::int64_t>("-7 // 2 * 10 + -7 % 2", none, 1)[0], -39);
  EXPECT_EQ(values_of<double>("2 ** -2", none, 1)[0], 0.25);
  EXPECT_EQ(values_of<double>("10 ** -3", none, 1)[0], 0.001);
  EXPECT_EQ(values_of<double>("1 / 4 + 1e-1", none, 1)[0], 0.35);
  EXPECT_EQ(values_of<std::uint64_t>("2 ** 63 + (2 ** 63 - 1)", none, 1)[0], UINT64_MAX);
  EXPECT_EQ(values_of<std::int64_t>("-2 ** 2 + 2 ** 3 ** 2", none, 1)[0], 508);
  EXPECT_EQ(values_of<std::int64_t>("0x1f | 0x20 & 0x30", none, 1)[0], 0x3f);
}

}  // namespace
}  // namespace tessera::expression
