// Looks at some elements and keys before a reduction of groups.
#pragma once

#include "reduce/groups/group_keys.hpp"
#include "statistics/group_sums.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Estimates that decide how fast the reduction is, but not its results.
struct GroupSample {
  statistics::SumWindow window;  ///< that ends above the largest finite element
  double outside = 0;            ///< part of the elements that are outside of it
  KeyRange keys{1, 0};           ///< keys of the groups; with a margin
};

/// Reads a few pieces. Throws the errors of reading them.
GroupSample sample_groups(const store::ArraySource& x, const GroupKeys& keys);

}  // namespace tessera::reduce
