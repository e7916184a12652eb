#include "plan/tile_grid.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tessera::plan {
namespace {

TEST(TileGrid, covers_every_pixel_once_whatever_the_sizes) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> side(1, 90);
  for (int round = 0; round < 200; ++round) {
    const TileGrid grid{{side(random), side(random)}, side(random)};
    std::vector<int> covered(static_cast<std::size_t>(grid.size_px.pixels()));
    for (std::int64_t tile = 0; tile < grid.count(); ++tile) {
      const base::PixelRect rect = grid.rect(tile);
      ASSERT_GE(rect.width, 1);
      ASSERT_GE(rect.height, 1);
      ASSERT_LE(rect.width, grid.chunk_px().width);
      ASSERT_LE(rect.height, grid.chunk_px().height);
      for (std::int64_t y = rect.y; y < rect.y + rect.height; ++y) {
        for (std::int64_t x = rect.x; x < rect.x + rect.width; ++x) {
          ++covered[static_cast<std::size_t>(y * grid.size_px.width + x)];
        }
      }
    }
    for (const int times : covered) ASSERT_EQ(times, 1);
  }
}

TEST(TileGrid, counts_beyond_32_bits) {
  const TileGrid grid{{2147483647, 2147483647}, 1};
  EXPECT_EQ(grid.count(), 2147483647LL * 2147483647LL);
  EXPECT_EQ(grid.rect(grid.count() - 1), (base::PixelRect{2147483646, 2147483646, 1, 1}));
}

}  // namespace
}  // namespace tessera::plan
