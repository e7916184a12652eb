#include "device/cpu/groups/group_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <vector>

namespace tessera::device::cpu {

namespace {

using kernels::Int128;
using kernels::UnsignedInt128;
using statistics::ExtremeIndex;
using statistics::GroupPartials;
using statistics::GroupSpec;
using statistics::OrderKey;
using statistics::SumWords;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kImplicitBit = std::uint64_t{1} << 52;

/// An f64 whose exponent field is inside of a window, or +0.0.
struct WindowTerm {
  std::uint64_t magnitude;
  int shift;
  bool inside;
};

WindowTerm term_of(double x, const statistics::SumWindow& window) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & ~kSignBit;
  const std::uint64_t field = bits >> 52;
  const std::uint64_t normal = field != 0 ? kImplicitBit : 0;
  const int shift = static_cast<int>(field + (field == 0 ? 1 : 0)) - window.first;
  const bool inside = static_cast<unsigned>(shift) < static_cast<unsigned>(window.count);
  return {(bits & (kImplicitBit - 1)) | normal, shift, inside || bits == 0};
}

template <std::size_t kWords>
SumWords<kWords> widened(UnsignedInt128 magnitude, bool negative) {
  const UnsignedInt128 value = negative ? -magnitude : magnitude;
  SumWords<kWords> words{};
  words[0] = static_cast<std::uint64_t>(value);
  words[1] = static_cast<std::uint64_t>(value >> 64);
  return words;
}

void add_wide(SumWords<2>& to, UnsignedInt128 more) {
  const UnsignedInt128 sum = (static_cast<UnsignedInt128>(to[1]) << 64 | to[0]) + more;
  to = {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)};
}

void add_shifted(SumWords<4>& to, UnsignedInt128 x, int shift) {
  const int bit = shift % 64;
  const auto low = static_cast<std::uint64_t>(x);
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const auto upper = [bit](std::uint64_t word) { return word >> 1 >> (63 - bit); };
  const std::size_t at = static_cast<std::size_t>(shift / 64);
  SumWords<4> more{};
  more[at] = low << bit;
  if (at < 3) more[at + 1] = high << bit | upper(low);
  if (at < 2) more[at + 2] = upper(high);
  statistics::add_words(to, more);
}

/// Adds the terms of `x` to a column of sums; calls outside() for those that are not in the window.
template <class Outside>
void add_terms(const GroupColumnsSpec& columns, std::span<const double> x,
               std::span<const std::uint32_t> groups, std::vector<SumWords<2>>& sums,
               const Outside& outside) {
  std::array<std::uint64_t, kGroupBlock> low, high;
  std::array<std::uint16_t, kGroupBlock> others;
  const std::size_t count =
      columns.set.split(x, columns.group_spec.window, {low.data(), high.data(), others.data()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    add_wide(sums[groups[i]], static_cast<UnsignedInt128>(high[i]) << 64 | low[i]);
  }
  for (std::size_t k = 0; k < count; ++k) outside(others[k]);
}

void add_sums(const GroupColumnsSpec& columns, const GroupedBlock<double>& block,
              GroupPartials& all) {
  add_terms(columns, block.x, block.groups, all.sum.words, [&](std::size_t i) {
    const double x = block.x[i];
    if (x == 0) {
      all.count(all.negative_zeros, block.groups[i]);
    } else if (std::isfinite(x)) {
      all.sum.rest[block.groups[i]].add(x);
    }
  });
}

void add_magnitudes(const GroupColumnsSpec& columns, const GroupedBlock<double>& block,
                    GroupPartials& all) {
  std::array<double, kGroupBlock> magnitudes;
  std::ranges::transform(block.x, magnitudes.begin(), [](double x) { return std::abs(x); });
  const std::span x = std::span(magnitudes).first(block.x.size());
  add_terms(columns, x, block.groups, all.absolute.words, [&](std::size_t i) {
    if (std::isfinite(x[i])) all.absolute.rest[block.groups[i]].add(x[i]);
  });
}

void add_squares(const GroupColumnsSpec& columns, const GroupedBlock<double>& block,
                 GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    const WindowTerm term = term_of(block.x[i], columns.group_spec.window);
    const std::uint32_t group = block.groups[i];
    if (!term.inside) {
      if (std::isfinite(block.x[i])) all.squares.rest[group].add_product(block.x[i], block.x[i]);
      continue;
    }
    const UnsignedInt128 square = static_cast<UnsignedInt128>(term.magnitude) * term.magnitude;
    if (square != 0) add_shifted(all.squares.words[group], square, 2 * term.shift);
  }
}

template <class X>
std::uint64_t magnitude_of(X x) {
  const auto bits = static_cast<std::uint64_t>(x);
  return x < X{0} ? ~bits + 1 : bits;
}

template <class X>
void add_sums(const GroupColumnsSpec&, const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    add_wide(all.sum.words[block.groups[i]],
             static_cast<UnsignedInt128>(static_cast<Int128>(block.x[i])));
  }
}

template <class X>
void add_magnitudes(const GroupColumnsSpec&, const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    add_wide(all.absolute.words[block.groups[i]], magnitude_of(block.x[i]));
  }
}

template <class X>
void add_squares(const GroupColumnsSpec&, const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    const auto magnitude = static_cast<UnsignedInt128>(magnitude_of(block.x[i]));
    add_shifted(all.squares.words[block.groups[i]], magnitude * magnitude, 0);
  }
}

template <class X>
void add_extremes(const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    const OrderKey key = statistics::key_of(block.x[i]);
    const std::uint32_t group = block.groups[i];
    all.least[group] = std::min(all.least[group], key);
    all.greatest[group] = std::max(all.greatest[group], key);
  }
}

template <class X>
void add_places(const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    const std::uint32_t group = block.groups[i];
    // Adding a zero turns -0.0 into +0.0.
    const ExtremeIndex place{statistics::key_of(static_cast<X>(block.x[i] + X{0})),
                             block.places[i]};
    all.at_least[group] = statistics::first_least(all.at_least[group], place);
    all.at_greatest[group] = statistics::first_greatest(all.at_greatest[group], place);
  }
}

template <class X>
void add_nonzero(const GroupedBlock<X>& block, GroupPartials& all) {
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    all.nonzero[block.groups[i]] += block.x[i] != X{0} ? 1 : 0;
  }
}

bool all_finite(std::span<const double> x) {
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  std::uint64_t any = 0;
  for (const double one : x) {
    any |= static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(one) & ~kSignBit) >= kInfinity);
  }
  return any == 0;
}

void count_nan(const GroupSpec& group_spec, const GroupedBlock<double>& block, std::size_t i,
               GroupPartials& all) {
  const statistics::ReductionSpec& spec = group_spec.spec;
  const std::uint32_t group = block.groups[i];
  all.count(all.nans, group);
  if (spec.places) all.first_nan[group] = std::min(all.first_nan[group], block.places[i]);
  if (spec.nonzero && !spec.skip_nan) ++all.nonzero[group];
}

/// Counts what is not finite, and takes NaN out of the block.
GroupedBlock<double> count_specials(const GroupSpec& group_spec, GroupedBlock<double> block,
                                    GroupPartials& all) {
  if (all_finite(block.x)) return block;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.x.size(); ++i) {
    const double x = block.x[i];
    const std::uint32_t group = block.groups[i];
    if (std::isnan(x)) {
      count_nan(group_spec, block, i, all);
      continue;
    }
    if (std::isinf(x)) {
      all.count(x > 0 ? all.positive_infinities : all.negative_infinities, group);
    }
    block.x[kept] = x;
    block.groups[kept] = group;
    if (!block.places.empty()) block.places[kept] = block.places[i];
    ++kept;
  }
  block.x = block.x.first(kept);
  return block;
}

}  // namespace

template <class X>
void add_block(const GroupColumnsSpec& columns, GroupedBlock<X> block, GroupPartials& all) {
  for (const std::uint32_t group : block.groups) ++all.elements[group];
  if constexpr (std::is_floating_point_v<X>) block = count_specials(columns.group_spec, block, all);
  const statistics::ReductionSpec& spec = columns.group_spec.spec;
  if (spec.nonzero) add_nonzero(block, all);
  if (spec.extremes) add_extremes(block, all);
  if (spec.places) add_places(block, all);
  if (spec.sum) add_sums(columns, block, all);
  if (spec.absolute) add_magnitudes(columns, block, all);
  if (spec.squares) add_squares(columns, block, all);
}

template void add_block<double>(const GroupColumnsSpec&, GroupedBlock<double>, GroupPartials&);
template void add_block<std::int64_t>(const GroupColumnsSpec&, GroupedBlock<std::int64_t>,
                                      GroupPartials&);
template void add_block<std::uint64_t>(const GroupColumnsSpec&, GroupedBlock<std::uint64_t>,
                                       GroupPartials&);

}  // namespace tessera::device::cpu
