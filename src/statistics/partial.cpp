#include "statistics/partial.hpp"

#include <algorithm>

namespace tessera::statistics {

ExtremeIndex first_least(const ExtremeIndex& a, const ExtremeIndex& b) {
  if (b.index == ExtremeIndex::kNowhere) return a;
  if (a.index == ExtremeIndex::kNowhere) return b;
  if (a.key != b.key) return a.key < b.key ? a : b;
  return {a.key, std::min(a.index, b.index)};
}

ExtremeIndex first_greatest(const ExtremeIndex& a, const ExtremeIndex& b) {
  if (b.index == ExtremeIndex::kNowhere) return a;
  if (a.index == ExtremeIndex::kNowhere) return b;
  if (a.key != b.key) return a.key > b.key ? a : b;
  return {a.key, std::min(a.index, b.index)};
}

void IntegerSums::merge(const IntegerSums& other) {
  sum += other.sum;
  absolute += other.absolute;
  squares_low += other.squares_low;
  squares_high += other.squares_high;
}

void Partial::move_places(std::int64_t first) {
  for (std::int64_t* const index : {&first_nan, &at_least.index, &at_greatest.index}) {
    if (*index != ExtremeIndex::kNowhere) *index += first;
  }
}

void Partial::merge(const Partial& other) {
  elements += other.elements;
  missing += other.missing;
  nans += other.nans;
  positive_infinities += other.positive_infinities;
  negative_infinities += other.negative_infinities;
  nonzero += other.nonzero;
  first_nan = std::min(first_nan, other.first_nan);
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  offer_least(other.at_least);
  offer_greatest(other.at_greatest);
  integers.merge(other.integers);
  sum.merge(other.sum);
  absolute.merge(other.absolute);
  squares.merge(other.squares);
  for_each_power_sum([&](auto sums, auto) { (this->*sums).merge(other.*sums); });
  product.merge(other.product);
  pairs.reals.merge(other.pairs.reals);
  pairs.integers.low += other.pairs.integers.low;
  pairs.integers.high += other.pairs.integers.high;
}

}  // namespace tessera::statistics
