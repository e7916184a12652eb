#include <algorithm>

#include "device/cpu/columns/column_passes.hpp"

namespace tessera::device::cpu {

void ColumnOrder::begin(const statistics::ReductionSpec& spec, bool specials, std::size_t outputs) {
  const statistics::Partial none;
  const auto set = [outputs](bool requested, auto& values, auto value) {
    values.assign(requested ? outputs : 0, value);
  };
  set(spec.extremes, least, none.least);
  set(spec.extremes, greatest, none.greatest);
  set(spec.places, at_least, none.at_least.key);
  set(spec.places, at_greatest, none.at_greatest.key);
  for (auto* const index : {&min_index, &greatest_index, &first_nan}) {
    set(spec.places, *index, statistics::ExtremeIndex::kNowhere);
  }
  for (auto* const count : {&nans, &positive_infinities, &negative_infinities}) {
    set(specials, *count, std::int64_t{0});
  }
  set(spec.nonzero, nonzero, std::int64_t{0});
  const bool whole = !base::is_floating(spec.type);
  set(whole && spec.sum, sum_low, std::uint64_t{0});
  set(whole && spec.sum, sum_high, std::int64_t{0});
  set(whole && spec.absolute, absolute_low, std::uint64_t{0});
  set(whole && spec.absolute, absolute_high, std::uint64_t{0});
  set(whole && spec.squares, squares_low, std::uint64_t{0});
  set(whole && spec.squares, squares_high, std::uint64_t{0});
  set(whole && (spec.sum || spec.absolute || spec.squares), integers, statistics::IntegerSums{});
  unfolded = 0;
}

void ColumnOrder::fold() {
  using kernels::Int128;
  using kernels::UnsignedInt128;
  unfolded = 0;
  for (std::size_t o = 0; o < sum_low.size(); ++o) {
    integers[o].sum += static_cast<Int128>(sum_high[o]) * (Int128{1} << 32) + sum_low[o];
  }
  for (std::size_t o = 0; o < absolute_low.size(); ++o) {
    integers[o].absolute += (static_cast<UnsignedInt128>(absolute_high[o]) << 32) + absolute_low[o];
  }
  for (std::size_t o = 0; o < squares_low.size(); ++o) {
    integers[o].squares_low +=
        (static_cast<UnsignedInt128>(squares_high[o]) << 32) + squares_low[o];
  }
  for (auto* const half : {&sum_low, &absolute_low, &absolute_high, &squares_low, &squares_high}) {
    std::ranges::fill(*half, 0);
  }
  std::ranges::fill(sum_high, 0);
}

void ColumnOrder::merge(std::size_t to, const ColumnOrder& other, std::size_t from) {
  const auto take = [&](auto& mine, const auto& theirs, const auto& combine) {
    if (!theirs.empty()) mine[to] = combine(mine[to], theirs[from]);
  };
  const auto lower = [](auto a, auto b) { return std::min(a, b); };
  const auto higher = [](auto a, auto b) { return std::max(a, b); };
  const auto sum = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  take(least, other.least, lower);
  take(greatest, other.greatest, higher);
  if (!other.at_least.empty()) {
    const auto least_of_both = statistics::first_least(
        {at_least[to], min_index[to]}, {other.at_least[from], other.min_index[from]});
    at_least[to] = least_of_both.key;
    min_index[to] = least_of_both.index;
    const auto greatest_of_both =
        statistics::first_greatest({at_greatest[to], greatest_index[to]},
                                   {other.at_greatest[from], other.greatest_index[from]});
    at_greatest[to] = greatest_of_both.key;
    greatest_index[to] = greatest_of_both.index;
  }
  take(first_nan, other.first_nan, lower);
  take(nans, other.nans, sum);
  take(positive_infinities, other.positive_infinities, sum);
  take(negative_infinities, other.negative_infinities, sum);
  take(nonzero, other.nonzero, sum);
  take(integers, other.integers, [](statistics::IntegerSums a, const statistics::IntegerSums& b) {
    a.merge(b);
    return a;
  });
}

}  // namespace tessera::device::cpu
