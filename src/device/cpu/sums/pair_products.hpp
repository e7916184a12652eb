// Sums of products of two arrays, with the vectors of the exact sums.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "device/cpu/sums/exact_sum.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cpu {

template <class T>
using ExactDot = decltype(ExactSumKernels<T>::dot);

/// One per thread, because it keeps buffers for converted elements.
class PairProducts {
 public:
  PairProducts(ExactDot<double> f64, ExactDot<float> f32) : dot_(f64, f32) {}

  void add(std::span<const std::byte> x, std::span<const std::byte> y,
           const statistics::ReductionSpec& spec, statistics::PairSums& sums);

 private:
  template <class T>
  void add_reals(std::span<const T> x, std::span<const T> y, bool skip_nan,
                 statistics::PairSums& sums);
  void add_widened(std::span<const std::byte> x, std::span<const std::byte> y,
                   const statistics::ReductionSpec& spec, statistics::PairSums& sums);

  std::tuple<ExactDot<double>, ExactDot<float>> dot_;
  Guesses guesses_;
  std::tuple<std::vector<double>, std::vector<float>> kept_x_, kept_y_;  ///< the pairs without NaN
  std::vector<double> wide_x_, wide_y_;
};

}  // namespace tessera::device::cpu
