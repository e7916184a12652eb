// Computes the answers from the partial result of all elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "kernels/exact/moments.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

struct Value {
  std::string text;            ///< decimal, true or false; of an f64 one that reads back to it
  std::optional<double> real;  ///< of an f64
};

/// The answers that a partial result can give, each rounded once. A member needs the components
/// that the row of its operation names (operations.cpp).
class Answers {
 public:
  Answers(const Partial& all, const ReductionSpec& spec, std::int64_t ddof);

  Value sum() const;
  Value product() const;
  Value mean() const;
  Value variance() const;
  Value deviation() const;
  Value least() const { return extreme(all_.least); }
  Value greatest() const { return extreme(all_.greatest); }
  Value index_of_least() const { return index(all_.at_least); }
  Value index_of_greatest() const { return index(all_.at_greatest); }
  Value norm1() const;
  Value norm2() const;
  Value norminf() const;
  /// The elements that are neither missing nor NaN.
  Value count() const;
  Value count_nonzero() const;
  Value any() const;
  Value all() const;
  /// The sum of the products with the other array: an integer if both arrays contain integers.
  Value dot() const;
  Value of_moments(double (*formula)(const kernels::CentralMoments&)) const;

 private:
  /// A NaN decides the answer.
  bool has_nan_result() const { return !skip_ && all_.nans > 0; }
  bool no_order() const { return has_nan_result() || count_ == 0; }
  Value extreme(OrderKey key) const;
  /// -1 if all elements are skipped.
  Value index(const ExtremeIndex& place) const;
  kernels::Superaccumulator real_sum() const;
  kernels::SquareAccumulator squares() const;

  const Partial& all_;
  bool floating_;
  bool signed_;
  bool real_products_;
  bool skip_;
  std::uint64_t ddof_;
  std::uint64_t count_;  ///< elements that are not skipped
};

/// The least and the greatest element as f64, NaN left out; there must be others, and the spec must
/// have asked for extremes.
std::pair<double, double> range_of(const Partial& all, base::ElementType type);

}  // namespace tessera::statistics
