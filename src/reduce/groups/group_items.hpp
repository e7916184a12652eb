// How a pass over groups divides the pieces of the array into items.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/order/sort_members.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Consecutive pieces of the array, but for some elements.
struct PieceRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t skipped = 0;  ///< elements of the first piece

  bool empty() const { return first >= end; }
};

/// The same on all ranks. An item has consecutive pieces of one range.
struct GroupItems {
  std::vector<PieceRange> ranges;  ///< sorted
  std::int64_t pieces_each = 1;

  std::vector<PieceRange> list() const;
  static auto members(auto& self) { return std::tie(self.ranges, self.pieces_each); }
};

/// Pieces of an item, so that there are enough items for the lanes, and none is larger than a
/// thread may lose when the run is stopped.
std::int64_t counted_pieces(const store::ArraySource& source, const job::ReduceJob& job,
                            std::int64_t lanes);
/// Elements of an item of a pass that only collects: its message is so small, 8 MiB, that the C
/// library gives the same memory to one after the other. It does so up to 32 MiB.
// crossed by: test_order_statistics_go_on_after_any_kill
inline constexpr std::int64_t kMessageMembers =
    (std::int64_t{8} << 20) / sizeof(statistics::GroupMember);
/// At most `most` pieces that have no more than so many elements, but one piece or more.
std::int64_t pieces_of(const store::ArraySource& source, std::int64_t elements, std::int64_t most);

}  // namespace tessera::reduce
