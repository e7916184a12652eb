#include "plan/share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tessera::plan {
namespace {

std::vector<int> tiles_of_each(const TileGrid& tiles, int of) {
  std::vector<int> counts;
  for (int number = 1; number <= of; ++number) {
    int count = 0;
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      count += in_share({number, of}, tiles, tile) ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

TEST(Share, EveryTileIsInExactlyOne) {
  const TileGrid tiles{{700, 500}, 100};
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    for (const int of : {1, 2, 3, 7, 14, 50}) {
      int owners = 0;
      for (int number = 1; number <= of; ++number) {
        owners += in_share({number, of}, tiles, tile) ? 1 : 0;
      }
      EXPECT_EQ(owners, 1) << tile << " of " << of;
    }
  }
}

TEST(Share, SharesAreOfAlikeSize) {
  for (const base::ImageSize size : {base::ImageSize{800, 800}, {700, 500}, {100, 3000}}) {
    for (const int of : {1, 2, 4, 5, 8}) {
      const auto counts = tiles_of_each({size, 100}, of);
      const auto [least, most] = std::ranges::minmax(counts);
      EXPECT_LE(most - least, 1) << size.width << " x " << size.height << " by " << of;
    }
  }
}

TEST(Share, NoneIsAColumnOfTheImage) {
  const TileGrid tiles{{800, 800}, 100};
  EXPECT_TRUE(in_share({1, 4}, tiles, 0));
  EXPECT_FALSE(in_share({1, 4}, tiles, 8)) << "the tile below";
}

}  // namespace
}  // namespace tessera::plan
