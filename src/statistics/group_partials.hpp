// Reductions of groups of elements: the partial results of many groups, each with its key. A group
// is defined as the answer about a whole array of its elements, in the order of the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "statistics/group_sums.hpp"
#include "statistics/output_partials.hpp"
#include "statistics/partial.hpp"
#include "statistics/partial_columns.hpp"

namespace tessera::statistics {

struct GroupSpec {
  ReductionSpec spec;
  SumWindow window;  ///< of floats

  SumWindow window_of_terms() const {
    return base::is_floating(spec.type) ? window : SumWindow::of_integers();
  }
};

/// Keys as integers in their order.
using GroupKey = std::uint64_t;
inline constexpr GroupKey kLastKey = std::numeric_limits<GroupKey>::max();

/// What some elements come to, group by group. Merges with others in any order.
struct GroupPartials : PartialColumns<GroupPartials, GroupSums> {
  std::vector<GroupKey> keys;
  std::vector<std::int64_t> elements;        ///< NaN among them
  std::vector<std::int64_t> negative_zeros;  ///< counted only for sums; empty while there are none

  std::size_t size() const { return elements.size(); }
  /// Appends groups without elements until there are `groups`; does not give them keys.
  void grow(const ReductionSpec& spec, std::size_t groups);
  /// The groups `from`, in that order.
  GroupPartials pick(std::span<const std::uint32_t> from) const;
  /// The same for numbers that grow; takes no other memory.
  void keep(std::span<const std::uint32_t> from);
  /// The groups with the numbers [first, end).
  GroupPartials part(std::size_t first, std::size_t end) const;
  /// Counts one more in a column that is empty while there are none.
  void count(std::vector<std::int64_t>& column, std::size_t group) const;

  /// The same about one group.
  Partial partial(const GroupSpec& group_spec, std::size_t group) const {
    Partial one;
    describe(group_spec, group, one);
    return one;
  }
  /// The same in `one`, which is new or about another of these groups: it is large, and is not
  /// cleared.
  void describe(const GroupSpec& group_spec, std::size_t group, Partial& one) const;
  /// The inverse of partial(), for a group without elements so far.
  void put(const ReductionSpec& spec, std::size_t group, const Partial& one,
           std::int64_t one_negative_zeros);

  /// About as many bytes of memory as the accumulators for terms outside of the window take.
  std::size_t accumulator_bytes() const;
  /// Counts of all groups.
  SpecialCounts specials() const;

  /// About as many bytes as write() appends.
  std::size_t written_bytes() const;
  void write(base::ByteWriter& to) const;
  void read(base::ByteReader& from);
  /// The same in fewer bytes, for the disk.
  void write_packed(base::ByteWriter& to) const;
  void read_packed(base::ByteReader& from);

  /// Those of a group with all of them.
  static std::uint64_t accumulator_bytes_each(const ReductionSpec& spec);

  /// Bytes that a group takes.
  static std::uint64_t bytes_each(const ReductionSpec& spec);

 private:
  friend PartialColumns;
  template <class OfNumbers>
  static void for_each_own_column(const OfNumbers& numbers);
};

/// Some of the groups of a GroupPartials.
struct GroupSpan {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// All together. The keys of each are sorted, and so are those of the result.
GroupPartials merged(const ReductionSpec& spec, std::span<const GroupPartials* const> parts);
GroupPartials merged(const ReductionSpec& spec, const GroupPartials& a, const GroupPartials& b);

}  // namespace tessera::statistics
