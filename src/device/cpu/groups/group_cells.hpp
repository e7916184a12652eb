// Sums and counts of groups whose other numbers nobody asks for: a cell for each of some
// neighbouring groups, until it is added to the partial results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu/groups/group_columns.hpp"

namespace tessera::device::cpu {

class GroupCells {
 public:
  explicit GroupCells(const GroupColumnsSpec& columns) : columns_(columns) {}

  /// Whether cells have all that the spec asks for.
  static bool is_full(const statistics::ReductionSpec& spec);

  /// Makes cells for the groups [first, first + count). `all` has them and all earlier ones.
  void cover(std::size_t first, std::size_t count, statistics::GroupPartials& all);
  /// Adds at most kGroupBlock elements x of these groups; what is not a term of the window is added
  /// to `all`.
  void add(std::span<const double> x, std::span<const std::uint32_t> groups,
           statistics::GroupPartials& all);
  /// Adds all cells to the partial results, and clears them.
  void drain(statistics::GroupPartials& all);
  /// Frees the memory of cells that were drained.
  void release() { cells_ = {}; }

 private:
  const GroupColumnsSpec& columns_;
  std::vector<GroupCell> cells_;
  std::size_t first_ = 0;  ///< group
  std::size_t count_ = 0;  ///< cells that may not be 0
  std::uint64_t added_ = 0;
};

}  // namespace tessera::device::cpu
