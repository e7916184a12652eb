#include "render/tile_counts.hpp"

#include "farm/lost_ranks.hpp"

namespace tessera::render {

void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, StoredCounts>& stored,
                const comm::World& world) {
  farm::add_lost(ranks, world);
  for (report::RankReport& rank : ranks) {
    const auto found = stored.find(rank.rank);
    if (found == stored.end()) continue;
    rank.tiles = found->second.tiles;
    rank.pixels = found->second.pixels;
    rank.iterations = found->second.iterations;
    rank.bytes = found->second.bytes;
  }
}

}  // namespace tessera::render
