#include "statistics/partial.hpp"

#include <algorithm>
#include <bit>

namespace tessera::statistics {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

}  // namespace

OrderKey key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

OrderKey key_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x) ^ kSign;
}

OrderKey key_of(std::uint64_t x) {
  return x;
}

double real_of(OrderKey key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

std::int64_t signed_of(OrderKey key) {
  return static_cast<std::int64_t>(key ^ kSign);
}

void Partial::offer_least(const ExtremeIndex& place) {
  if (place.key > at_least.key || place.index == ExtremeIndex::kNowhere) return;
  const bool tie = place.key == at_least.key;
  at_least = {place.key, tie ? std::min(place.index, at_least.index) : place.index};
}

void Partial::offer_greatest(const ExtremeIndex& place) {
  if (place.key < at_greatest.key || place.index == ExtremeIndex::kNowhere) return;
  const bool tie = place.key == at_greatest.key;
  at_greatest = {place.key, tie ? std::min(place.index, at_greatest.index) : place.index};
}

void Partial::merge(const Partial& other) {
  elements += other.elements;
  nans += other.nans;
  positive_infinities += other.positive_infinities;
  negative_infinities += other.negative_infinities;
  nonzero += other.nonzero;
  first_nan = std::min(first_nan, other.first_nan);
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  offer_least(other.at_least);
  offer_greatest(other.at_greatest);
  integers.sum += other.integers.sum;
  integers.absolute += other.integers.absolute;
  integers.squares_low += other.integers.squares_low;
  integers.squares_high += other.integers.squares_high;
  sum.merge(other.sum);
  absolute.merge(other.absolute);
  squares.merge(other.squares);
  product.merge(other.product);
  pairs.reals.merge(other.pairs.reals);
  pairs.integers.low += other.pairs.integers.low;
  pairs.integers.high += other.pairs.integers.high;
}

}  // namespace tessera::statistics
