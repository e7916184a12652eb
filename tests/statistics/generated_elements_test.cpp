#include "statistics/generated_elements.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "kernels/gpu/generate.hpp"

namespace tessera::statistics {
namespace {

constexpr std::int64_t kMany = 1'000'000;

template <class T>
std::vector<T> made(const std::string& text, std::int64_t first, std::int64_t count) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  generate(job::parse_array_input(text), first, std::as_writable_bytes(std::span(elements)));
  return elements;
}

std::vector<double> normals(int seed) {
  return made<double>("random:normal?count=1000000&seed=" + std::to_string(seed), 0, kMany);
}

TEST(Generator, makes_the_same_elements_whichever_part_is_first) {
  for (const std::string text : {"random:normal?count=4000", "random:uniform?count=4000",
                                 "linspace:-3,7?count=4000", "random:normal?count=4000&seed=9"}) {
    const auto all = made<double>(text, 0, 4000);
    for (const auto& [first, count] :
         {std::pair{0, 1}, {1, 1}, {7, 600}, {512, 513}, {1023, 2977}}) {
      const auto part = made<double>(text, first, count);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first)) << text << first;
    }
  }
}

/// From NumPy 1.24.
TEST(Generator, makes_the_numbers_of_numpy_where_their_distance_is_hardly_one) {
  constexpr double kUnit = 5e-324;
  const auto expect_units = [](const std::string& text, const std::vector<int>& units) {
    const auto count = static_cast<std::int64_t>(units.size());
    const auto got = made<double>(fmt::format("{}?count={}", text, count), 0, count);
    for (std::size_t i = 0; i < units.size(); ++i) EXPECT_EQ(got[i], units[i] * kUnit) << text << i;
  };
  expect_units("linspace:0,1e-323", {0, 0, 1, 1, 1, 2, 2});
  expect_units("linspace:1.5e-323,0", {3, 3, 2, 2, 1, 1, 1, 0, 0});
  expect_units("linspace:0,5e-324", {0, 0, 1, 1});
}

TEST(Generator, makes_one_number_alone_as_numpy_does) {
  EXPECT_EQ(made<double>("linspace:3,9?count=1", 0, 1)[0], 3.0);
  EXPECT_TRUE(std::signbit(made<double>("linspace:-0.0,-1?count=1", 0, 1)[0]));
  EXPECT_FALSE(std::signbit(made<double>("linspace:-0.0,1?count=1", 0, 1)[0]));
  EXPECT_EQ(made<double>("linspace:7,7?count=1", 0, 1)[0], 7.0);
}

TEST(Generator, makes_numbers_that_are_equal) {
  for (const double x : made<double>("linspace:7,7?count=50", 0, 50)) EXPECT_EQ(x, 7.0);
}

/// stop - start is infinite.
TEST(Generator, makes_what_numpy_does_between_ends_too_far_apart) {
  const auto got = made<double>("linspace:-1e308,1e308?count=4", 0, 4);
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], HUGE_VAL);
  EXPECT_EQ(got[2], HUGE_VAL);
  EXPECT_EQ(got[3], 1e308);
}

TEST(Generator, makes_f4_of_the_nearest_f8_of_a_normal) {
  const auto wide = made<double>("random:normal?count=5000", 0, 5000);
  const auto narrow = made<float>("random:normal?count=5000&dtype=f4", 0, 5000);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
  }
}

TEST(Generator, has_the_moments_of_a_normal_distribution) {
  for (const int seed : {1, 2, 3}) {
    double powers[5] = {};
    for (const double x : normals(seed)) {
      for (int k = 1; k <= 4; ++k) powers[k] += std::pow(x, k);
    }
    // Five standard deviations of each mean: the variances of x^k are 1, 2, 15, 96.
    const double root = std::sqrt(static_cast<double>(kMany));
    EXPECT_NEAR(powers[1] / kMany, 0, 5 / root);
    EXPECT_NEAR(powers[2] / kMany, 1, 5 * std::sqrt(2) / root);
    EXPECT_NEAR(powers[3] / kMany, 0, 5 * std::sqrt(15) / root);
    EXPECT_NEAR(powers[4] / kMany, 3, 5 * std::sqrt(96) / root);
  }
}

TEST(Generator, has_the_distribution_of_a_normal_by_kolmogorov_and_smirnov) {
  for (const int seed : {1, 2, 3}) {
    auto x = normals(seed);
    std::ranges::sort(x);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double below = std::erfc(-x[i] / std::numbers::sqrt2) / 2;
      largest = std::max({largest, std::abs(below - static_cast<double>(i) / kMany),
                          std::abs(below - static_cast<double>(i + 1) / kMany)});
    }
    // Exceeded by chance once in 1000 seeds.
    EXPECT_LT(largest * std::sqrt(static_cast<double>(kMany)), 1.95);
  }
}

TEST(Generator, has_the_tails_of_a_normal_distribution) {
  const auto x = normals(1);
  for (const double far : {2.0, 3.0, 4.0}) {
    const double wanted = kMany * std::erfc(far / std::numbers::sqrt2);
    const auto beyond = std::ranges::count_if(x, [&](double t) { return std::abs(t) > far; });
    EXPECT_NEAR(static_cast<double>(beyond), wanted, 5 * std::sqrt(wanted));
  }
}

TEST(Generator, has_neighbours_without_correlation) {
  const auto x = normals(1);
  for (const std::size_t apart : {1U, 2U, 3U, 1000U}) {
    double product = 0;
    double square_product = 0;
    for (std::size_t i = 0; i + apart < x.size(); ++i) {
      product += x[i] * x[i + apart];
      square_product += (x[i] * x[i] - 1) * (x[i + apart] * x[i + apart] - 1);
    }
    EXPECT_NEAR(product / kMany, 0, 5e-3);
    EXPECT_NEAR(square_product / kMany, 0, 1e-2);
  }
}

TEST(Generator, is_as_accurate_as_numerics_say) {
  constexpr std::uint64_t kPairs = 200'000;
  long double worst = 0;  // in units of 2^-53
  for (std::uint64_t number = 0; number < kPairs; ++number) {
    const auto pair = kernels::ts_normal_pair(number, 5);
    const auto block = kernels::ts_random_block(number, TS_NORMAL_STREAM, 5);
    // As it says: the f64 that is u, and an angle from the upper two and the other 62 bits.
    const double u = (static_cast<double>(block.bits[0]) + 0.5) * 0x1p-64;
    const long double r = std::sqrt(-2 * std::log(static_cast<long double>(u)));
    const auto fraction = static_cast<std::int64_t>(block.bits[1] << 2);
    const long double angle = std::numbers::pi_v<long double> / 2 *
                              (static_cast<long double>(block.bits[1] >> 62) +
                               static_cast<long double>(fraction) * 0x1p-64L);
    for (const auto& [got, wanted] :
         {std::pair{pair.value[0], r * std::cos(angle)}, {pair.value[1], r * std::sin(angle)}}) {
      // Next to an axis the angle of the wide type is not exact enough either.
      if (std::abs(wanted) > 0.01L * r)
        worst = std::max(worst, std::abs(got / wanted - 1) * 0x1p53L);
    }
  }
  EXPECT_LT(worst, 6) << static_cast<double>(worst);
}

TEST(Generator, has_the_bits_that_it_had) {
  const auto x = made<double>("random:normal?count=100000&seed=7", 0, 100'000);
  EXPECT_EQ(fmt::format("{:a} {:a}", x[0], x[1]), "0x1.dac42e8465253p+0 -0x1.292d4ca5e0af1p-2");
  const auto* text = reinterpret_cast<const char*>(x.data());
  EXPECT_EQ(base::fnv1a({text, x.size() * sizeof(double)}), 14713412940635675676U);
}

}  // namespace
}  // namespace tessera::statistics
