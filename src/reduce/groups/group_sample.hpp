// Looks at some elements and keys before a reduction of groups.
#pragma once

#include "reduce/groups/group_keys.hpp"
#include "statistics/group_sums.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// What decides how fast the reduction is, but not its results.
struct GroupSample {
  int largest_field = 1023;  ///< exponent field of the largest finite element
  KeyRange keys{1, 0};       ///< of the groups; with a margin
};

/// Reads a few pieces. Throws the errors of reading them.
GroupSample sample_groups(const store::ArraySource& x, const GroupKeys& keys);

}  // namespace tessera::reduce
