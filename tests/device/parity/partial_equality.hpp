// Two partial results, field by field.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "statistics/partial.hpp"

namespace tessera::device {

inline void expect_equal(const statistics::Partial& got, const statistics::Partial& truth,
                         const std::string& what) {
  EXPECT_EQ(got.elements, truth.elements) << what;
  EXPECT_EQ(got.nans, truth.nans) << what;
  EXPECT_EQ(got.positive_infinities, truth.positive_infinities) << what;
  EXPECT_EQ(got.negative_infinities, truth.negative_infinities) << what;
  EXPECT_EQ(got.nonzero, truth.nonzero) << what;
  EXPECT_EQ(got.first_nan, truth.first_nan) << what;
  EXPECT_EQ(got.least, truth.least) << what;
  EXPECT_EQ(got.greatest, truth.greatest) << what;
  EXPECT_EQ(got.at_least.key, truth.at_least.key) << what;
  EXPECT_EQ(got.at_least.index, truth.at_least.index) << what;
  EXPECT_EQ(got.at_greatest.key, truth.at_greatest.key) << what;
  EXPECT_EQ(got.at_greatest.index, truth.at_greatest.index) << what;
  EXPECT_TRUE(got.integers.sum == truth.integers.sum) << what;
  EXPECT_TRUE(got.integers.absolute == truth.integers.absolute) << what;
  EXPECT_TRUE(got.integers.squares_low == truth.integers.squares_low) << what;
  EXPECT_TRUE(got.integers.squares_high == truth.integers.squares_high) << what;
  EXPECT_TRUE(got.sum == truth.sum) << what << ": sum";
  EXPECT_TRUE(got.absolute == truth.absolute) << what << ": absolute";
  EXPECT_TRUE(got.squares == truth.squares) << what << ": squares";
  EXPECT_TRUE(got.cubes == truth.cubes) << what << ": cubes";
  EXPECT_TRUE(got.fourths == truth.fourths) << what << ": fourth powers";
  // Of a NaN not even the sign is the same everywhere.
  const bool is_nan = std::isnan(truth.product.rounded());
  EXPECT_TRUE(is_nan ? std::isnan(got.product.rounded()) : got.product == truth.product)
      << what << ": product";
  EXPECT_TRUE(got.pairs.reals == truth.pairs.reals) << what << ": products";
  // The value is high * 2^64 + low.
  const auto upper = [](const statistics::IntegerProducts& sum) {
    return sum.high + static_cast<kernels::Int128>(sum.low >> 64);
  };
  const statistics::IntegerProducts &a = got.pairs.integers, &b = truth.pairs.integers;
  EXPECT_TRUE(upper(a) == upper(b)) << what << ": products";
  EXPECT_EQ(static_cast<std::uint64_t>(a.low), static_cast<std::uint64_t>(b.low)) << what;
}

/// That shows in every field of a partial result but those of pairs.
inline statistics::ReductionSpec everything(base::ElementType type, bool skip_nan) {
  return {.type = type,
          .sum = true,
          .absolute = true,
          .product = true,
          .squares = true,
          .cubes = true,
          .fourths = true,
          .extremes = true,
          .places = true,
          .nonzero = true,
          .skip_nan = skip_nan};
}

}  // namespace tessera::device
