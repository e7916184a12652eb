#include "view/tile_image.hpp"

#include <gtest/gtest.h>

namespace tessera::view {
namespace {

TEST(TileImage, levels_go_on_until_the_image_is_in_one_picture) {
  EXPECT_EQ(levels_of({1, 1}), 1);
  EXPECT_EQ(levels_of({256, 256}), 1);
  EXPECT_EQ(levels_of({257, 1}), 2);
  EXPECT_EQ(levels_of({1, 512}), 2);
  EXPECT_EQ(levels_of({513, 512}), 3);
  EXPECT_EQ(levels_of({131072, 131072}), 10);
  EXPECT_EQ(levels_of({2147483647, 1}), 24);
}

TEST(TileImage, pictures_cover_the_image_at_each_level) {
  EXPECT_EQ(tiles_at({257, 256}, 0), (base::ImageSize{2, 1}));
  EXPECT_EQ(tiles_at({257, 256}, 1), (base::ImageSize{1, 1}));
  EXPECT_EQ(tiles_at({1000, 3000}, 2), (base::ImageSize{1, 3}));
}

TEST(TileImage, two_levels_need_no_pyramid) {
  EXPECT_EQ(pyramid_levels({256, 256}), 0);
  EXPECT_EQ(pyramid_levels({512, 512}), 0);
  EXPECT_EQ(pyramid_levels({513, 512}), 1);
  EXPECT_EQ(pyramid_levels({131072, 131072}), 8);
}

}  // namespace
}  // namespace tessera::view
