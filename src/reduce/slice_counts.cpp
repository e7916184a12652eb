#include "reduce/slice_counts.hpp"

#include "farm/lost_ranks.hpp"

namespace tessera::reduce {

void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, ReducedCounts>& reduced,
                std::uint64_t element_bytes, const comm::World& world) {
  farm::add_lost(ranks, world);
  for (report::RankReport& rank : ranks) {
    const auto found = reduced.find(rank.rank);
    if (found == reduced.end()) continue;
    rank.slices = found->second.slices;
    rank.elements = found->second.elements;
    rank.bytes = static_cast<std::uint64_t>(rank.elements) * element_bytes;
  }
}

}  // namespace tessera::reduce
