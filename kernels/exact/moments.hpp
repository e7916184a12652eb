// Moments of numbers from the exact sums of their powers, and quotients of moments, each rounded
// once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/exact/big_number.hpp"

namespace tessera::kernels {

/// The moments about the mean of n numbers, n > 0.
class CentralMoments {
 public:
  /// `sums[k - 1]` is the sum of the k-th powers.
  CentralMoments(std::uint64_t n, std::vector<LongNumber> sums) : n_(n), sums_(std::move(sums)) {}

  /// n^k times the k-th moment, which is the mean of (x - mean)^k; exact.
  LongNumber scaled(int k) const;

 private:
  std::uint64_t n_;
  std::vector<LongNumber> sums_;
};

/// m_3 / m_2^(3/2). NaN if all numbers are equal.
double skewness(const CentralMoments& moments);

/// m_4 / m_2^2 - 3, which is 0 for a normal distribution. NaN if all numbers are equal.
double excess_kurtosis(const CentralMoments& moments);

}  // namespace tessera::kernels
