#include "kernels/exact/superaccumulator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/kernels/special_numbers.hpp"

namespace {

using namespace tessera::kernels;

template <class Sum>
Sum sum_of(std::initializer_list<double> terms) {
  Sum sum;
  for (double term : terms) sum.add(term);
  return sum;
}

template <class Sum>
class ExactSumTest : public testing::Test {};
using BothSums = testing::Types<Superaccumulator, SquareAccumulator>;
TYPED_TEST_SUITE(ExactSumTest, BothSums);

TYPED_TEST(ExactSumTest, GivesBackAnySingleNumber) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    ASSERT_EQ(sum_of<TypeParam>({x}).rounded(), x);
    ASSERT_EQ(sum_of<TypeParam>({x}).divided_by(1), x);
  }
}

TYPED_TEST(ExactSumTest, LosesNothingBetweenLargeTerms) {
  EXPECT_EQ(sum_of<TypeParam>({1e308, 1e308, 1e-300, -1e308, -1e308}).rounded(), 1e-300);
  EXPECT_EQ(sum_of<TypeParam>({kLargest, kTiniest, -kLargest}).rounded(), kTiniest);
}

TYPED_TEST(ExactSumTest, RoundsTiesToEvenAndOthersUp) {
  const double half = 0x1p-53;
  EXPECT_EQ(sum_of<TypeParam>({1.0, half}).rounded(), 1.0);
  EXPECT_EQ(sum_of<TypeParam>({1.0, half, kTiniest}).rounded(), 1.0 + 0x1p-52);
  EXPECT_EQ(sum_of<TypeParam>({1.0 + 0x1p-52, half}).rounded(), 1.0 + 0x1p-51);
  EXPECT_EQ(sum_of<TypeParam>({kLargest, 0x1p969}).rounded(), kLargest);
  EXPECT_EQ(sum_of<TypeParam>({kLargest, 0x1p970}).rounded(), kInfinity);
  EXPECT_EQ(sum_of<TypeParam>({-kLargest, -kLargest}).rounded(), -kInfinity);
}

TYPED_TEST(ExactSumTest, FollowsIeeeForZerosInfinitiesAndNan) {
  EXPECT_FALSE(std::signbit(TypeParam().rounded()));
  EXPECT_TRUE(std::signbit(sum_of<TypeParam>({-0.0, -0.0}).rounded()));
  EXPECT_TRUE(std::signbit(sum_of<TypeParam>({-0.0}).divided_by(3)));
  EXPECT_FALSE(std::signbit(sum_of<TypeParam>({-0.0, 0.0}).rounded()));
  EXPECT_FALSE(std::signbit(sum_of<TypeParam>({1.0, -1.0, -0.0}).rounded()));
  EXPECT_EQ(sum_of<TypeParam>({kInfinity, -kLargest}).rounded(), kInfinity);
  EXPECT_EQ(sum_of<TypeParam>({-kInfinity, 1.0}).divided_by(2), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of<TypeParam>({-kInfinity, kInfinity}).rounded()));
  EXPECT_TRUE(std::isnan(sum_of<TypeParam>({kNan, 1.0}).rounded()));
  EXPECT_TRUE(std::isnan(TypeParam().divided_by(0)));
  EXPECT_EQ(sum_of<TypeParam>({kNan, 1.0, -kNan}).nans(), 2);
}

TYPED_TEST(ExactSumTest, AddsIntegersOf128Bits) {
  const Int128 large = static_cast<Int128>(std::numeric_limits<std::int64_t>::max()) << 60;
  TypeParam sum;
  sum.add_integer(large);
  sum.add_integer(7);
  sum.add_integer(-large);
  sum.add_integer(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(sum.rounded(), -0x1p63 + 7);
  sum.add_integer(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sum.rounded(), 6);
}

TYPED_TEST(ExactSumTest, StaysExactWhenLimbsAreFull) {
  // Each doubling adds the sum to itself; the limbs' spare bits run out many times.
  TypeParam sum;
  for (double term : {-1.0, 0x1.fffffffffffffp-900, 0x1.fffffffffffffp900}) sum.add(term);
  for (int i = 0; i < 60; ++i) sum.merge(TypeParam(sum));
  sum.add(-0x1.fffffffffffffp960);
  EXPECT_EQ(sum.rounded(), -0x1p60);
  sum.add(0x1p60);
  EXPECT_EQ(sum.rounded(), 0x1.fffffffffffffp-840);
}

TYPED_TEST(ExactSumTest, MillionsOfWordArraysMayBeAdded) {
  constexpr std::int64_t kRanks = 1 << 20;
  for (double term : {kLargest, -kLargest, -kTiniest}) {
    std::vector<std::int64_t> words(TypeParam::kWords);
    sum_of<TypeParam>({term}).to_words(words);
    for (std::int64_t& word : words) ASSERT_FALSE(__builtin_mul_overflow(word, kRanks, &word));
    TypeParam sum = TypeParam::from_words(words);
    EXPECT_EQ(sum.divided_by(kRanks), term);
    sum.add_integer(0);
    EXPECT_EQ(sum, TypeParam::from_words(words));
  }
}

TYPED_TEST(ExactSumTest, WordsKeepNanInfinitiesAndTheSignOfZero) {
  for (double term : {kNan, kInfinity, -kInfinity, -0.0, 0.0}) {
    std::vector<std::int64_t> words(TypeParam::kWords);
    const TypeParam sum = sum_of<TypeParam>({term});
    sum.to_words(words);
    EXPECT_EQ(TypeParam::from_words(words), sum);
    for (double other : {-0.0, 0.0, 1.0}) {
      if (other != term || std::signbit(other) != std::signbit(term)) {
        EXPECT_FALSE(sum == sum_of<TypeParam>({other}));
      }
    }
  }
}

TEST(SquareAccumulatorTest, MultipliesWhereF64CannotHoldTheProduct) {
  SquareAccumulator sum;
  sum.add_product(kLargest, kLargest);
  sum.add_product(kTiniest, kTiniest);
  sum.add_product(-kLargest, kLargest);
  EXPECT_EQ(square_root(sum), kTiniest);
  sum.add_product(-kTiniest, kTiniest);
  EXPECT_EQ(sum, sum_of<SquareAccumulator>({0.0}));
}

TEST(SquareAccumulatorTest, ProductsWithZerosAndInfinitiesFollowIeee) {
  SquareAccumulator zeros;
  zeros.add_product(-0.0, 5.0);
  EXPECT_TRUE(std::signbit(zeros.rounded()));
  SquareAccumulator nan;
  nan.add_product(0.0, kInfinity);
  EXPECT_EQ(nan.nans(), 1);
  EXPECT_TRUE(std::isnan(square_root(nan)));
}

TEST(StatisticsTest, VarianceSurvivesALargeMean) {
  Superaccumulator sum;
  SquareAccumulator squares;
  for (double x : {1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4}) {
    sum.add(x);
    squares.add_product(x, x);
  }
  EXPECT_EQ(variance(sum, squares, 4, 0), 1.25);
  EXPECT_EQ(variance(sum, squares, 4, 1), 5.0 / 3);
  EXPECT_EQ(standard_deviation(sum, squares, 4, 0), std::sqrt(1.25));
  EXPECT_TRUE(std::isnan(variance(sum, squares, 4, 4)));
}

TEST(StatisticsTest, RootOfMeanIsRoundedOnce) {
  SquareAccumulator squares;
  for (double x : {3.0, 4.0}) squares.add_product(x, x);
  EXPECT_EQ(square_root(squares), 5.0);
  EXPECT_EQ(root_of_mean(squares, 2), std::sqrt(12.5));
  EXPECT_TRUE(std::isnan(root_of_mean(squares, 0)));
}

}  // namespace
