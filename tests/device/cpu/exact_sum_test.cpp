#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "device/cpu/cpu_target.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using namespace tessera::device::cpu;

template <class T>
struct Truth {
  Superaccumulator sum, absolute;
  SquareAccumulator squares, dot;

  Truth(const std::vector<T>& x, const std::vector<T>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double a = x[i], b = y[i];
      sum.add(a);
      absolute.add(std::abs(a));
      squares.add_product(a, a);
      dot.add_product(a, b);
    }
  }
};

template <class T>
const ExactSumKernels<T>& functions_of(const ExactSumSet& set) {
  if constexpr (sizeof(T) == 8) {
    return set.f64;
  } else {
    return set.f32;
  }
}

template <class T>
void expect_all_exact(const std::vector<T>& x, const std::vector<T>& y) {
  const Truth<T> truth(x, y);
  for (const CpuTarget& target : cpu_targets()) {
    SCOPED_TRACE(target.name);
    const ExactSumSet& set = target.sums;
    const ExactSumKernels<T>& functions = functions_of<T>(set);
    Superaccumulator sum, absolute, moment_sum;
    SquareAccumulator squares, dot, moment_squares;
    functions.sum(x, sum, {});
    functions.absolute_sum(x, absolute, {});
    functions.dot(x, x, squares, {});
    functions.dot(x, y, dot, {});
    functions.moments(x, moment_sum, moment_squares, {});
    EXPECT_EQ(sum, truth.sum);
    EXPECT_EQ(absolute, truth.absolute);
    EXPECT_EQ(squares, truth.squares);
    EXPECT_EQ(dot, truth.dot);
    EXPECT_EQ(moment_sum, truth.sum);
    EXPECT_EQ(moment_squares, truth.squares);
    EXPECT_EQ(sum.nans(), truth.sum.nans());
    EXPECT_EQ(dot.positive_infinities(), truth.dot.positive_infinities());
  }
}

/// Stretches of numbers of every kind, one after the other, so that each method meets data that it
/// was not chosen for.
template <class T>
std::vector<T> changing_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> gauss;
  std::vector<T> x;
  while (x.size() < count) {
    const std::size_t stretch = 1 + random() % 30000;
    const int range = static_cast<int>(random() % 600) * static_cast<int>(random() % 2);
    const int base = static_cast<int>(random() % 1500) - 900;
    const std::uint64_t kind = random() % 6;
    for (std::size_t i = 0; i < stretch && x.size() < count; ++i) {
      const int exponent = range == 0 ? 0 : static_cast<int>(random() % range) - range / 2;
      double value = std::ldexp(gauss(random), exponent + base);
      if (kind == 1 && random() % 900 == 0) value = 9.97e36;
      if (kind == 2 && random() % 3 == 0) value = random() % 50 == 0 ? -0.0 : std::nan("");
      if (kind == 3) value = random() % 2 == 0 ? 0.0 : value;
      if (kind == 4) value = std::bit_cast<double>(random());
      if (kind == 5) value = gauss(random);
      x.push_back(static_cast<T>(value));
    }
  }
  return x;
}

template <class T>
class ExactSumTest : public testing::Test {};
using BothTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(ExactSumTest, BothTypes);

TYPED_TEST(ExactSumTest, IsTheSameWithEveryInstructionSetWhateverFollowsWhat) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::size_t count = 40000 + 7919 * seed;
    expect_all_exact(changing_numbers<TypeParam>(count, seed),
                     changing_numbers<TypeParam>(count, seed + 100));
  }
}

TYPED_TEST(ExactSumTest, TheTableHoldsTheLargestTheSmallestAndWhatIsBetween) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  using Words = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::mt19937_64 random(8);
  const auto any = [&] { return std::bit_cast<T>(static_cast<Words>(random())); };
  const auto finite = [&] {
    const T x = any();
    return std::isfinite(x) ? x : T{-0.0};
  };
  const auto sum_by_table = [](const auto& set, const std::vector<T>& x) {
    constexpr int kForEver = 1 << 30;
    Guesses guesses;
    guesses.terms.blocks_to_review = kForEver;
    guesses.plain = {.which = PlainTerms::none, .blocks_to_review = kForEver};
    Superaccumulator sum;
    functions_of<T>(set).sum(x, sum, {nullptr, &guesses});
    return sum;
  };
  const std::vector<std::function<T()>> kinds = {
      [] { return Limits::max(); },
      [] { return Limits::lowest(); },
      [] { return Limits::denorm_min(); },
      [] { return -Limits::denorm_min(); },
      [] { return Limits::min(); },
      [&] { return random() % 2 == 0 ? Limits::max() : 1; },
      [] { return T{-0.0}; },
      finite,
      any};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE(k);
    std::vector<T> x(150016);
    std::ranges::generate(x, kinds[k]);
    Superaccumulator one_by_one;
    for (const T term : x) one_by_one.add(static_cast<double>(term));
    for (const CpuTarget& target : cpu_targets()) {
      EXPECT_EQ(sum_by_table(target.sums, x), one_by_one) << target.name;
    }
  }
}

TYPED_TEST(ExactSumTest, IsExactWhateverIsGuessed) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  const auto any_guess = [&] {
    const std::size_t windows[] = {0, 1, 2, 3, 4, 6};
    return Guess{{windows[random() % 6], static_cast<Unusual>(random() % 3),
                  static_cast<int>(random() % 2000) - 1000},
                 static_cast<int>(random() % 64)};
  };
  const auto any_plain_guess = [&] {
    return PlainGuess{static_cast<PlainTerms>(random() % 3),
                      static_cast<int>(random() % 2100) - 1100, static_cast<int>(random() % 64),
                      static_cast<int>(random() % 16)};
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto x = changing_numbers<T>(9000 + seed, seed);
    const auto y = changing_numbers<T>(x.size(), seed + 50);
    const Truth<T> truth(x, y);
    for (const CpuTarget& target : cpu_targets()) {
      SCOPED_TRACE(target.name);
      const ExactSumSet& set = target.sums;
      Superaccumulator sum, moment_sum;
      SquareAccumulator dot, moment_squares;
      Guesses guesses{any_guess(), any_guess(), any_plain_guess(), any_guess()};
      Extremes<T> extremes{x[0], x[0]};
      functions_of<T>(set).moments(x, moment_sum, moment_squares, {&extremes, &guesses});
      functions_of<T>(set).sum(x, sum, {nullptr, &guesses});
      functions_of<T>(set).dot(x, y, dot, {nullptr, &guesses});
      EXPECT_EQ(moment_sum, truth.sum);
      EXPECT_EQ(moment_squares, truth.squares);
      EXPECT_EQ(sum, truth.sum);
      EXPECT_EQ(dot, truth.dot);
      if (truth.sum.nans() > 0) continue;
      EXPECT_EQ(extremes.least, *std::ranges::min_element(x));
      EXPECT_EQ(extremes.greatest, *std::ranges::max_element(x));
    }
  }
}

TYPED_TEST(ExactSumTest, SeesEveryAdditionThatWouldBeRounded) {
  using T = TypeParam;
  std::mt19937_64 random(9);
  std::normal_distribution<double> gauss;
  std::vector<T> x(12000);
  for (int gap = 10; gap < 140; ++gap) {
    for (T& value : x) value = static_cast<T>(1 + gauss(random) / 1000);
    x[random() % x.size()] = static_cast<T>(std::ldexp(1 + gauss(random) / 8, -gap));
    expect_all_exact(x, x);
  }
}

TYPED_TEST(ExactSumTest, IsExactWithOutliersOfAnySize) {
  using T = TypeParam;
  std::mt19937_64 random(10);
  std::normal_distribution<double> gauss;
  std::vector<T> x(20000);
  for (const int one_in : {2000, 300, 20, 3}) {
    for (T& value : x) value = static_cast<T>(gauss(random));
    for (std::size_t i = random() % 9; i < x.size(); i += 1 + random() % (2 * one_in)) {
      const double fills[] = {9.97e36, -9.97e36, 1e-30, HUGE_VAL, std::nan(""), 3.4e38, -32768};
      x[i] = static_cast<T>(fills[random() % (one_in == 300 ? 7 : 3)]);
    }
    expect_all_exact(x, x);
  }
}

TYPED_TEST(ExactSumTest, DoesNotCareForOverflowsOnTheWay) {
  using T = TypeParam;
  std::vector<T> x(10000, std::numeric_limits<T>::max());
  for (std::size_t i = x.size() / 2; i < x.size(); ++i) x[i] = -x[i];
  x[7] = T(1);
  expect_all_exact(x, std::vector<T>(10000, T(1)));
}

TYPED_TEST(ExactSumTest, SquaresTheLargestNumbersOfABinade) {
  using T = TypeParam;
  std::mt19937_64 random(11);
  for (const int exponent : {-120, -30, 0, 1, 2, 90}) {
    const T limit = std::ldexp(T(1), exponent);
    std::vector<T> x(30000);
    for (T& value : x) {
      value = random() % 5 == 0 ? limit : std::nextafter(limit, T(0));
      if (random() % 64 < 16 * (random() % 4)) value = -value;
    }
    expect_all_exact(x, x);
    expect_all_exact(std::vector<T>(30000, x[0]), x);
    expect_all_exact(std::vector<T>(30000, -limit), x);
  }
}

TYPED_TEST(ExactSumTest, KeepsTheSignOfZero) {
  using T = TypeParam;
  expect_all_exact(std::vector<T>(10007, T(-0.0)), std::vector<T>(10007, T(1)));
  std::vector<T> one_positive(10007, T(-0.0));
  one_positive[5000] = 0;
  expect_all_exact(one_positive, std::vector<T>(10007, T(-2)));
}

TYPED_TEST(ExactSumTest, CountsInfinitiesAndNan) {
  using T = TypeParam;
  std::vector<T> x(9001, T(1.5));
  x[17] = std::numeric_limits<T>::infinity();
  expect_all_exact(x, x);
  x[8000] = -std::numeric_limits<T>::infinity();
  x[8999] = std::numeric_limits<T>::quiet_NaN();
  expect_all_exact(x, std::vector<T>(9001, T(0)));
}

TYPED_TEST(ExactSumTest, TakesArraysOfAnyLength) {
  for (std::size_t count = 0; count < 200; ++count) {
    expect_all_exact(changing_numbers<TypeParam>(count, count),
                     changing_numbers<TypeParam>(count, count + 1));
  }
}

TYPED_TEST(ExactSumTest, DoesNotCareForTheCallersRounding) {
  const auto x = changing_numbers<TypeParam>(20000, 3);
  const ExactSumSet& best = cpu_targets().front().sums;
  const auto& functions = functions_of<TypeParam>(best);
  Superaccumulator before, after;
  functions.sum(x, before, {});
  std::fesetround(FE_UPWARD);
  functions.sum(x, after, {});
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(before, after);
}

#if defined(__SSE2__)
TYPED_TEST(ExactSumTest, SumsSubnormalNumbersWithFlushToZeroSet) {
  constexpr TypeParam kTiniest = std::numeric_limits<TypeParam>::denorm_min();
  const std::vector<TypeParam> x(5003, kTiniest);
  const ExactSumSet& best = cpu_targets().front().sums;
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  Superaccumulator sum;
  SquareAccumulator squares;
  functions_of<TypeParam>(best).moments(x, sum, squares, {});
  const double mean = sum.divided_by(x.size());
  const double root = root_of_mean(squares, x.size());
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040U);
  _mm_setcsr(saved);
  EXPECT_EQ(mean, static_cast<double>(kTiniest));
  EXPECT_EQ(root, static_cast<double>(kTiniest));
}
#endif

}  // namespace
