// Quantiles of numbers with weights, exactly: between which cumulated weights one lies, and what
// its value is. docs/numerics-sums.md, "Weighted quantiles".
#pragma once

#include <cstddef>
#include <span>

#include "job/arrays/operations.hpp"
#include "kernels/exact/big_number.hpp"
#include "statistics/order/weight_tally.hpp"

namespace tessera::statistics {

/// What is sought among the numbers in ascending order: the first one whose cumulated weight, of
/// all numbers up to it, is at least numerator / divisor; or more than that.
struct WeightBound {
  kernels::LongNumber numerator;
  kernels::LongNumber divisor;  ///< positive
  bool beyond = false;

  bool reached_by(const kernels::LongNumber& cumulated) const;
  /// The least number of units of 2^exponent that reaches it on top of `below`, which does not.
  kernels::LongNumber::Integer units(int exponent, const kernels::LongNumber& below) const;
};

/// The part of the cumulated weights whose mean a quantile is: of an interpolating method as wide
/// as one element, if there were as many elements as is effective.
class WeightWindow {
 public:
  /// `q`: as the decimal number that is printed for it, so that 0.1 is a tenth; `sum`: of the
  /// weights, positive; `squares`: the sum of their squares.
  WeightWindow(const job::WeightedMethod& method, double q, const kernels::LongNumber& sum,
               const kernels::LongNumber& squares);

  bool picks() const { return picks_; }
  /// The number in which the window begins.
  WeightBound low() const { return {low_, scale_, true}; }
  /// That in which it ends.
  WeightBound high() const { return {high_, scale_, false}; }

  /// Rounded once. If an end is infinite, the value is, and NaN for both infinities.
  double value(const WeightedEnds& ends) const;

 private:
  bool picks_;
  // Ends of the window times scale_, which is the sum of the weights times a number.
  kernels::LongNumber scale_, low_, high_;
};

/// Of a bound among keys in ascending order, in front of which there are the weights `below`, that
/// do not reach it; all together do.
WeightPlace find_place(const WeightBound& bound, std::span<const WeightedKey> sorted,
                       const kernels::Superaccumulator& below);

void sort_weighted(std::span<WeightedKey> keys);

/// Adds the products of keys between `low` and `high`.
void add_between(std::span<const WeightedKey> keys, const KeyGap& gap,
                 kernels::SquareAccumulator& products);

}  // namespace tessera::statistics
