// Reductions as their definitions say, element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "statistics/partial.hpp"

namespace tessera::device::reference {

/// `index` is called for the index of an element, when it matters.
class ScalarReduction {
 public:
  explicit ScalarReduction(const statistics::ReductionSpec& spec) : spec_(spec) {}

  template <class Index>
  void add_real(double x, const Index& index, statistics::Partial& partial) const {
    ++partial.elements;
    if (std::isnan(x)) {
      ++partial.nans;
      if (spec_.places) partial.first_nan = std::min(partial.first_nan, index());
      if (spec_.skip_nan) return;
    } else {
      if (std::isinf(x)) ++(x > 0 ? partial.positive_infinities : partial.negative_infinities);
      add_order(statistics::key_of(x), statistics::key_of(x == 0 ? 0.0 : x), index, partial);
    }
    if (spec_.nonzero && x != 0) ++partial.nonzero;
    if (spec_.sum) partial.sum.add(x);
    if (spec_.absolute) partial.absolute.add(std::abs(x));
    if (spec_.squares) partial.squares.add_product(x, x);
    if (spec_.product) partial.product.add(x);
  }

  template <class T, class Index>
  void add_integer(T x, const Index& index, statistics::Partial& partial) const {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const statistics::OrderKey key = statistics::key_of(static_cast<Wide>(x));
    ++partial.elements;
    add_order(key, key, index, partial);
    if (spec_.nonzero && x != 0) ++partial.nonzero;
    if (spec_.product) partial.product.add(static_cast<double>(x));
    statistics::IntegerSums& sums = partial.integers;
    if (spec_.sum) sums.sum += x;
    const auto wide = static_cast<std::uint64_t>(static_cast<Wide>(x));
    const std::uint64_t magnitude = x < T{0} ? ~wide + 1 : wide;
    if (spec_.absolute) sums.absolute += magnitude;
    if (spec_.squares) {
      const auto square = static_cast<kernels::UnsignedInt128>(magnitude) * magnitude;
      sums.squares_low += static_cast<std::uint64_t>(square);
      sums.squares_high += static_cast<std::uint64_t>(square >> 64);
    }
  }

 private:
  template <class Index>
  void add_order(statistics::OrderKey key, statistics::OrderKey unsigned_zero_key,
                 const Index& index, statistics::Partial& partial) const {
    if (spec_.extremes) {
      partial.least = std::min(partial.least, key);
      partial.greatest = std::max(partial.greatest, key);
    }
    if (!spec_.places) return;
    if (unsigned_zero_key <= partial.at_least.key) {
      partial.offer_least({unsigned_zero_key, index()});
    }
    if (unsigned_zero_key >= partial.at_greatest.key) {
      partial.offer_greatest({unsigned_zero_key, index()});
    }
  }

  statistics::ReductionSpec spec_;
};

}  // namespace tessera::device::reference
