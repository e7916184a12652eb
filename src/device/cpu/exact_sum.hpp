// Exact sums at the speed of memory: vectors of f64 in front of a superaccumulator. The value in
// the accumulator afterwards is what adding the terms one by one would give, with every instruction
// set; so are its numbers of NaN and infinities. docs/numerics.md, "Sums".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/superaccumulator.hpp"

namespace tessera::device::cpu {

using kernels::SquareAccumulator;
using kernels::Superaccumulator;

/// Adds the numbers to the sum.
void exact_sum(std::span<const double> x, Superaccumulator& sum);
void exact_sum(std::span<const float> x, Superaccumulator& sum);

/// Adds their absolute values.
void exact_absolute_sum(std::span<const double> x, Superaccumulator& sum);
void exact_absolute_sum(std::span<const float> x, Superaccumulator& sum);

/// Adds their squares, none of them rounded.
void exact_sum_of_squares(std::span<const double> x, SquareAccumulator& squares);
void exact_sum_of_squares(std::span<const float> x, SquareAccumulator& squares);

/// Adds the products x[i] y[i], none of them rounded; x and y are of the same size.
void exact_dot(std::span<const double> x, std::span<const double> y, SquareAccumulator& products);
void exact_dot(std::span<const float> x, std::span<const float> y, SquareAccumulator& products);

/// exact_sum and exact_sum_of_squares with one journey through memory.
void exact_moments(std::span<const double> x, Superaccumulator& sum, SquareAccumulator& squares);
void exact_moments(std::span<const float> x, Superaccumulator& sum, SquareAccumulator& squares);

/// The functions above in the code of one instruction set.
template <class T>
struct ExactSums {
  void (*sum)(std::span<const T>, Superaccumulator&) = nullptr;
  void (*absolute_sum)(std::span<const T>, Superaccumulator&) = nullptr;
  void (*dot)(std::span<const T>, std::span<const T>, SquareAccumulator&) = nullptr;
  void (*moments)(std::span<const T>, Superaccumulator&, SquareAccumulator&) = nullptr;
};

struct ExactSumSet {
  std::string name;  ///< "avx2": what follows "cpu:"
  ExactSums<double> f64;
  ExactSums<float> f32;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<ExactSumSet> exact_sum_sets();

}  // namespace tessera::device::cpu
