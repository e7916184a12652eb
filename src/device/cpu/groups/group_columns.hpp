// Adds elements to the partial results of their groups, a block at a time and column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/cpu/groups/group_terms.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::device::cpu {

/// The elements of a block, of type f64, i64 or u64, or const ones: `groups[i]` is the group of
/// `x[i]`, and `places[i]` its index in the array, if the spec asks for places.
template <class X>
struct GroupedBlock {
  std::span<std::uint32_t> groups;
  std::span<X> x;
  std::span<std::int64_t> places;
};

struct GroupColumnsSpec {
  statistics::GroupSpec group_spec;
  GroupTermsSet set;
};

/// At most as many elements as fit into the first-level cache with their groups.
// crossed by: group_parity_test.of_every_type
inline constexpr std::size_t kGroupBlock = 1024;

/// Adds a block to `all`, which has all its groups. NaN leave the block; it may be empty then.
template <class X>
void add_block(const GroupColumnsSpec& columns, GroupedBlock<X> block,
               statistics::GroupPartials& all);

extern template void add_block<double>(const GroupColumnsSpec&, GroupedBlock<double>,
                                       statistics::GroupPartials&);
extern template void add_block<std::int64_t>(const GroupColumnsSpec&, GroupedBlock<std::int64_t>,
                                             statistics::GroupPartials&);
extern template void add_block<std::uint64_t>(const GroupColumnsSpec&, GroupedBlock<std::uint64_t>,
                                              statistics::GroupPartials&);

}  // namespace tessera::device::cpu
