#include "device/cpu/groups/group_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace tessera::device::cpu {

namespace {

using statistics::GroupPartials;

/// Words of a cell overflow after 2^32 terms.
// not crossed: 2^31 elements take too long; see "Sums that have room" in docs/thresholds.md
constexpr std::uint64_t kMaxInCell = std::uint64_t{1} << 31;

void add_outside(double x, std::uint32_t group, GroupPartials& all) {
  if (std::isnan(x)) return all.count(all.nans, group);
  if (std::isinf(x)) {
    return all.count(x > 0 ? all.positive_infinities : all.negative_infinities, group);
  }
  if (x == 0) return all.count(all.negative_zeros, group);
  all.sum.rest[group].add(x);
}

}  // namespace

bool GroupCells::is_full(const statistics::ReductionSpec& spec) {
  const bool others = spec.absolute || spec.squares || spec.extremes || spec.places || spec.nonzero;
  return base::is_floating(spec.type) && spec.sum && !others;
}

void GroupCells::cover(std::size_t first, std::size_t count, GroupPartials& all) {
  if (first != first_ || added_ >= kMaxInCell) drain(all);
  first_ = first;
  count_ = std::max(count_, count);
  if (cells_.size() < count_) cells_.resize(count_);
}

void GroupCells::add(std::span<const double> x, std::span<const std::uint32_t> groups,
                     GroupPartials& all) {
  std::array<std::uint16_t, kGroupBlock> outside;
  const std::size_t count =
      columns_.set.add_to_cells(x, groups, static_cast<std::uint32_t>(first_),
                                columns_.group_spec.window, cells_.data(), outside.data());
  added_ += x.size();
  for (const std::size_t i : std::span(outside).first(count)) add_outside(x[i], groups[i], all);
}

void GroupCells::drain(GroupPartials& all) {
  for (std::size_t k = 0; k < count_; ++k) {
    const GroupCell cell = std::exchange(cells_[k], {});
    all.elements[first_ + k] += static_cast<std::int64_t>(cell.count());
    const kernels::UnsignedInt128 sum = cell.sum();
    statistics::add_words(all.sum.words[first_ + k],
                          {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)});
  }
  count_ = 0;
  added_ = 0;
}

}  // namespace tessera::device::cpu
