#include "device/gpu/arrays/groups/group_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "statistics/each_element.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::TS_U32;
using kernels::TS_U64;
using statistics::ExtremeIndex;
using statistics::GroupPartials;
using statistics::OrderKey;

constexpr OrderKey kPositiveZero = OrderKey{1} << 63;

/// The limbs from `first` on, in units of 2^(32 i), as a number in two's complement.
template <std::size_t kWords>
statistics::SumWords<kWords> number_of(std::span<const TS_U32> limbs) {
  statistics::SumWords<kWords> all{};
  for (std::size_t i = 0; i < 2 * kWords; ++i) {
    TS_U64 limb;
    std::memcpy(&limb, &limbs[2 * i], sizeof limb);
    const TS_U64 sign = limb >> 63 != 0 ? ~TS_U64{0} : 0;
    statistics::SumWords<kWords> more;
    more.fill(sign);
    std::fill_n(more.begin(), i / 2, 0);
    const bool upper = i % 2 != 0;
    more[i / 2] = upper ? limb << 32 : limb;
    if (upper && i / 2 + 1 < kWords) more[i / 2 + 1] = limb >> 32 | sign << 32;
    statistics::add_words(all, more);
  }
  return all;
}

/// Adds to a column that is empty while there are none.
void add_count(TS_U32 count, std::size_t group, std::size_t groups,
               std::vector<std::int64_t>& column) {
  if (count == 0) return;
  if (column.empty()) column.resize(groups);
  column[group] += count;
}

/// An extreme with its place. Nothing was found if all words are 0.
struct Found {
  OrderKey key;
  std::int64_t place;
};

Found found_in(std::span<const TS_U32> order, std::size_t first, bool inverted) {
  const std::span<const TS_U32> words = order.subspan(first + TS_CELL_KEPT, TS_CELL_KEPT);
  const TS_U64 key = TS_U64{words[0]} << 32 | words[1];
  const TS_U64 place = TS_U64{words[2]} << 32 | words[3];
  const auto nowhere = static_cast<TS_U64>(ExtremeIndex::kNowhere);
  return {inverted ? ~key : key, static_cast<std::int64_t>(std::min(~place, nowhere))};
}

void add_order(std::span<const TS_U32> cell, const CellLayout& layout,
               const statistics::ReductionSpec& spec, std::size_t group, GroupPartials& all) {
  const std::span<const TS_U32> order = cell.subspan(layout.order, TS_CELL_ORDER);
  const Found least = found_in(order, TS_CELL_LEAST, true);
  const Found greatest = found_in(order, TS_CELL_GREATEST, false);
  if (spec.extremes) {
    // Keys do not tell zeros apart, but these were counted.
    const bool floating = base::is_floating(spec.type);
    const auto below = [&](OrderKey key, bool negative) {
      return floating && key == kPositiveZero && negative ? key - 1 : key;
    };
    all.least[group] =
        std::min(all.least[group], below(least.key, cell[TS_CELL_NEGATIVE_ZEROS] > 0));
    all.greatest[group] =
        std::max(all.greatest[group], below(greatest.key, cell[TS_CELL_POSITIVE_ZEROS] == 0));
  }
  if (!spec.places) return;
  all.at_least[group] = statistics::first_least(all.at_least[group], {least.key, least.place});
  all.at_greatest[group] =
      statistics::first_greatest(all.at_greatest[group], {greatest.key, greatest.place});
  all.first_nan[group] =
      std::min(all.first_nan[group], found_in(order, TS_CELL_FIRST_NAN, false).place);
}

}  // namespace

CellLayout cell_layout(const statistics::ReductionSpec& spec) {
  CellLayout layout{.words = TS_CELL_COUNTS};
  const auto place = [&](bool requested, std::uint32_t words) {
    return std::exchange(layout.words, layout.words + (requested ? words : 0));
  };
  layout.sum = place(spec.sum, 2 * TS_CELL_LIMBS);
  layout.absolute = place(spec.absolute, 2 * TS_CELL_LIMBS);
  layout.squares = place(spec.squares, 2 * TS_CELL_SQUARE_LIMBS);
  layout.order = place(spec.extremes || spec.places, TS_CELL_ORDER);
  return layout;
}

void add_cell(std::span<const TS_U32> cell, const CellLayout& layout,
              const statistics::ReductionSpec& spec, std::size_t group, GroupPartials& all) {
  if (cell[TS_CELL_ELEMENTS] == 0) return;
  const auto add = [&](TS_U32 number, std::vector<std::int64_t>& column) {
    add_count(cell[number], group, all.size(), column);
  };
  add(TS_CELL_ELEMENTS, all.elements);
  add(TS_CELL_NANS, all.nans);
  add(TS_CELL_POSITIVE_INFINITIES, all.positive_infinities);
  add(TS_CELL_NEGATIVE_INFINITIES, all.negative_infinities);
  if (spec.sum) add(TS_CELL_NEGATIVE_ZEROS, all.negative_zeros);
  if (spec.nonzero) add(TS_CELL_NONZERO, all.nonzero);
  const auto number = [&]<std::size_t kWords>(std::uint32_t at, statistics::SumWords<kWords>& to) {
    statistics::add_words(to, number_of<kWords>(cell.subspan(at, 4 * kWords)));
  };
  if (spec.sum) number(layout.sum, all.sum.words[group]);
  if (spec.absolute) number(layout.absolute, all.absolute.words[group]);
  if (spec.squares) number(layout.squares, all.squares.words[group]);
  if (spec.extremes || spec.places) add_order(cell, layout, spec, group, all);
}

void add_outside(std::span<const std::uint32_t> groups, std::span<const std::byte> elements,
                 const statistics::GroupSpec& group_spec, GroupPartials& all) {
  const statistics::ReductionSpec& spec = group_spec.spec;
  std::size_t i = 0;
  statistics::for_each_real(elements, spec.type, [&](double x) {
    const std::uint32_t group = groups[i++];
    if (x == 0 || !std::isfinite(x) || group_spec.window.holds(x)) return;
    if (spec.sum) all.sum.rest[group].add(x);
    if (spec.absolute) all.absolute.rest[group].add(std::abs(x));
    if (spec.squares) all.squares.rest[group].add_product(x, x);
  });
}

}  // namespace tessera::device::gpu
