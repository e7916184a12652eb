#include "kernels/exact/product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/kernels/special_numbers.hpp"

namespace {

using namespace tessera::kernels;

double product_of(const std::vector<double>& terms) {
  Product product;
  for (const double term : terms) product.add(term);
  return product.rounded();
}

TEST(Product, gives_back_any_single_number) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) {
      ASSERT_EQ(product_of({x}), x);
    }
  }
  for (const double x : {0.0, kTiniest, -kTiniest, kLargest, 1.0, -1.0, 0x1.fffffffffffffp-1023}) {
    EXPECT_EQ(product_of({x}), x);
  }
}

TEST(Product, rounds_two_and_three_numbers_as_multiplication_does) {
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::int64_t> integer(-2'000'000, 2'000'000);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    const double y = std::bit_cast<double>(random());
    if (std::isfinite(x) && std::isfinite(y)) {
      ASSERT_EQ(product_of({x, y}), x * y) << x << " " << y;
    }
    const std::int64_t a = integer(random), b = integer(random), c = integer(random);
    // Up to 63 bits: rounded once.
    ASSERT_EQ(product_of({static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)}),
              static_cast<double>(a * b * c));
  }
}

TEST(Product, neither_overflows_nor_underflows_on_the_way) {
  std::vector<double> terms;
  for (int i = 0; i < 1000; ++i) terms.insert(terms.end(), {kLargest, kTiniest, 0x1p51, 3.0});
  std::ranges::shuffle(terms, std::mt19937_64(3));
  // (2^1024 (1 - 2^-53) 2^-1074 2^51 3)^1000 = (6 (1 - 2^-53))^1000
  EXPECT_EQ(product_of(terms), kInfinity);
  terms.insert(terms.end(), 1300, 0.25);
  const long double rest = 1000 * (std::log(6.0L) + std::log1p(-0x1p-53L)) - 2600 * std::log(2.0L);
  EXPECT_NEAR(product_of(terms) / static_cast<double>(std::exp(rest)), 1, 1e-15);
  EXPECT_EQ(product_of({kLargest, 2}), kInfinity);
  EXPECT_EQ(product_of({kLargest, -2}), -kInfinity);
  EXPECT_EQ(product_of({kTiniest, -0.5}), -0.0);
  EXPECT_EQ(product_of({kTiniest, 0.75}), kTiniest);
  EXPECT_EQ(product_of(std::vector<double>(100000, 0.5)), 0.0);
}

TEST(Product, of_numbers_with_an_exact_inverse_returns_to_one) {
  std::vector<double> terms;
  for (int i = -500; i < 500; ++i) terms.push_back(std::ldexp(1.0, i) * (i % 2 == 0 ? 1 : -1));
  terms.push_back(0x1p500);
  EXPECT_EQ(product_of(terms), 1.0);
}

TEST(Product, follows_ieee_for_what_is_not_a_number_or_no_size) {
  EXPECT_EQ(product_of({}), 1.0);
  EXPECT_TRUE(std::isnan(product_of({1, kNan, 0})));
  EXPECT_TRUE(std::isnan(product_of({0, 2, kInfinity})));
  EXPECT_EQ(product_of({-2, kInfinity, 3}), -kInfinity);
  EXPECT_EQ(product_of({-kInfinity, -kInfinity}), kInfinity);
  EXPECT_TRUE(std::signbit(product_of({-0.0, 5, 1e300, 1e300})));
  EXPECT_FALSE(std::signbit(product_of({-0.0, -5})));
}

TEST(Product, is_the_same_in_any_order_and_any_parts) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> gauss;
  std::vector<double> terms(5003);
  for (double& term : terms) term = gauss(random);
  terms[7] = 3 * kTiniest;
  const double all = product_of(terms);
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(terms, random);
    Product parts[3];
    for (const double term : terms) parts[random() % 3].add(term);
    parts[2].merge(parts[0]);
    parts[2].merge(parts[1]);
    ASSERT_EQ(parts[2].rounded(), all);
  }
}

}  // namespace
