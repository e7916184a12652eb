#include "statistics/order/weight_tally.hpp"

#include <algorithm>
#include <array>

#include "statistics/number_pairs.hpp"

namespace tessera::statistics {

namespace {

using kernels::Superaccumulator;

std::size_t cells_of(const KeyRange& range) {
  return range.collects() ? 3 : range.bins();
}

}  // namespace

void add_weighted(double x, double weight, Partial& counts, std::vector<WeightedKey>& keys) {
  if (is_no_pair(x)) return;
  ++counts.elements;
  if (x != x) ++counts.nans;
  if (x == x && weight > 0) keys.push_back({element_key(x), weight});
}

void WeightSum::merge(const WeightSum& other) {
  if (other.count == 0) return;
  count += other.count;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  weights.merge(other.weights);
}

void WeightSum::write(base::ByteWriter& to) const {
  to.put(count);
  if (count == 0) return;
  const auto limbs = weights.limbs();
  std::size_t first = 0, end = limbs.size();
  while (first < end && limbs[first] == 0) ++first;
  while (first < end && limbs[end - 1] == 0) --end;
  to.put(least, greatest, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(end));
  for (std::size_t i = first; i < end; ++i) to.put(static_cast<std::uint32_t>(limbs[i]));
}

WeightSum WeightSum::read(base::ByteReader& from) {
  WeightSum sum;
  from.read(sum.count);
  if (sum.count == 0) return sum;
  from.read(sum.least);
  from.read(sum.greatest);
  const std::size_t first = from.get<std::uint8_t>(), end = from.get<std::uint8_t>();
  std::array<std::int64_t, Superaccumulator::kWords> words{};
  words.back() = 1;  // a term was not -0.0
  static_assert(Superaccumulator::kLimbs < 256);
  for (std::size_t i = first; i < end && i < Superaccumulator::kLimbs; ++i) {
    words[i] = from.get<std::uint32_t>();
  }
  sum.weights = Superaccumulator::from_words(words);
  return sum;
}

WeightCells::WeightCells(std::span<const KeyRange> ranges) : ranges_(ranges), firsts_{1} {
  for (const KeyRange& range : ranges) firsts_.push_back(firsts_.back() + cells_of(range) + 1);
  collected_by_.resize(count(), kNone);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].collects()) collected_by_[firsts_[i] + 1] = i;
  }
}

std::size_t WeightCells::cell_of(ElementKey key) const {
  std::size_t i = ranges_.size();
  while (i > 0 && key < ranges_[i - 1].low) --i;
  if (i == 0) return 0;
  const KeyRange& range = ranges_[--i];
  if (key > range.high) return firsts_[i + 1] - 1;
  if (!range.collects()) {
    return firsts_[i] + static_cast<std::size_t>((key - range.low) >> range.shift);
  }
  const std::size_t behind_low = key > range.low ? 1 : 0;
  return firsts_[i] + behind_low + (key == range.high ? behind_low : 0);
}

WeightTally::WeightTally(const WeightRequest& request)
    : sums(WeightCells(request.ranges).count()),
      keys(request.ranges.size()),
      products(request.gaps.size()) {}

void WeightTally::add(std::span<const std::byte> pairs, const WeightRequest& request) {
  const WeightCells cells(request.ranges);
  for_each_weighted(pairs, [&](std::size_t, double x, double weight) {
    add({element_key(x), weight}, cells, request);
  });
}

void WeightTally::add(const WeightedKey& one, const WeightCells& cells,
                      const WeightRequest& request) {
  const std::size_t cell = cells.cell_of(one.key);
  sums[cell].add(one);
  if (const std::size_t range = cells.collected_by(cell); range != WeightCells::kNone) {
    keys[range].push_back(one);
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    const KeyGap& gap = request.gaps[i];
    if (one.key <= gap.low || one.key >= gap.high) continue;
    products[i].add_product(real_of_key(one.key, base::ElementType::f64), one.weight);
  }
  if (request.squares) squares.add_product(one.weight, one.weight);
}

const std::vector<WeightedKey>* WeightTally::keys_of(std::size_t cell,
                                                     const WeightCells& cells) const {
  const std::size_t range = cells.collected_by(cell);
  const bool all = range != WeightCells::kNone && std::ssize(keys[range]) == sums[cell].count;
  return all ? &keys[range] : nullptr;
}

void WeightTally::merge(const WeightTally& other, const WeightRequest& request) {
  const WeightCells cells(request.ranges);
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    if (const std::size_t i = cells.collected_by(cell); i != WeightCells::kNone) {
      const bool all = keys_of(cell, cells) != nullptr && other.keys_of(cell, cells) != nullptr;
      if (all) {
        keys[i].insert(keys[i].end(), other.keys[i].begin(), other.keys[i].end());
      } else {
        keys[i] = {};
      }
    }
    sums[cell].merge(other.sums[cell]);
  }
  for (std::size_t i = 0; i < products.size(); ++i) products[i].merge(other.products[i]);
  squares.merge(other.squares);
  bound(request);
}

void WeightTally::write(base::ByteWriter& to) const {
  to.put(keys, products, squares, sums.size());
  for (const WeightSum& sum : sums) sum.write(to);
}

void WeightTally::read(base::ByteReader& from) {
  from.read(keys);
  from.read(products);
  from.read(squares);
  sums.clear();
  for (auto left = from.get<std::size_t>(); left > 0; --left) sums.push_back(WeightSum::read(from));
}

void WeightTally::bound(const WeightRequest& request) {
  const auto size = [](const std::vector<WeightedKey>& some) { return some.size(); };
  std::uint64_t all = 0;
  for (const auto& some : keys) all += some.size();
  while (all > request.max_keys) {
    std::vector<WeightedKey>& fullest = *std::ranges::max_element(keys, {}, size);
    all -= fullest.size();
    fullest = {};
  }
}

}  // namespace tessera::statistics
