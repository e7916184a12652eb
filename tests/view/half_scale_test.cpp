#include "view/half_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "plan/tile_grid.hpp"

namespace tessera::view {
namespace {

/// An image of numbers from 1 on, halved chunk by chunk.
struct Halved {
  base::ImageSize fine_px, coarse_px;
  std::vector<std::uint32_t> coarse;

  Halved(const base::ImageSize& size, std::int64_t tile, int level = 1)
      : fine_px(size), coarse_px{(size.width + 1) / 2, (size.height + 1) / 2} {
    std::vector<std::uint32_t> fine(static_cast<std::size_t>(size.pixels()));
    std::iota(fine.begin(), fine.end(), 1U);
    coarse.resize(static_cast<std::size_t>(coarse_px.pixels()));
    const plan::TileGrid from{fine_px, tile};
    const plan::TileGrid to{coarse_px, tile};
    for (std::int64_t chunk = 0; chunk < to.count(); ++chunk) {
      for (std::int64_t part = 0; part < from.count(); ++part) {
        take(level, fine, from.rect(part), to.rect(chunk));
      }
    }
  }

  void take(int level, const std::vector<std::uint32_t>& fine, const base::PixelRect& from,
            const base::PixelRect& to) {
    take_half(level, fine_px,
              {from, fine_px.width,
               reinterpret_cast<const std::byte*>(fine.data() + from.y * fine_px.width + from.x)},
              {to, coarse_px.width,
               reinterpret_cast<std::byte*>(coarse.data() + to.y * coarse_px.width + to.x)},
              base::ElementType::u32);
  }
};

TEST(HalfScale, each_value_is_one_of_those_that_it_stands_for) {
  for (const base::ImageSize size :
       {base::ImageSize{64, 48}, {65, 47}, {1, 1}, {2, 1}, {1, 7}, {33, 64}}) {
    const Halved halved(size, 16);
    std::int64_t place = 0;
    for (const std::uint32_t value : halved.coarse) {
      ASSERT_GT(value, 0U) << size.width << " x " << size.height;
      const std::int64_t x = (value - 1) % size.width;
      const std::int64_t y = (value - 1) / size.width;
      EXPECT_EQ(x / 2, place % halved.coarse_px.width);
      EXPECT_EQ(y / 2, place / halved.coarse_px.width);
      ++place;
    }
  }
}

TEST(HalfScale, does_not_depend_on_the_chunks) {
  const base::ImageSize size{75, 61};
  const Halved whole(size, 128);
  for (const std::int64_t tile : {1, 2, 3, 7, 16, 25, 64}) {
    EXPECT_EQ(Halved(size, tile).coarse, whole.coarse) << tile;
  }
}

TEST(HalfScale, takes_all_four_equally_often_and_others_at_each_level) {
  const base::ImageSize size{512, 512};
  const Halved halved(size, 512);
  std::vector<int> taken(4);
  for (const std::uint32_t value : halved.coarse) {
    ++taken[(value - 1) % 2 + (value - 1) / 512 % 2 * 2];
  }
  for (const int times : taken) EXPECT_NEAR(times, 256 * 256 / 4, 600);
  EXPECT_NE(halved.coarse, Halved(size, 512, 2).coarse);
}

template <class T>
std::vector<T> missing_values(base::ElementType type) {
  std::vector<T> values(3, T{1});
  fill_missing(reinterpret_cast<std::byte*>(values.data()), values.size(), type);
  return values;
}

TEST(HalfScale, no_rendered_value_stands_for_a_missing_one) {
  const auto u16 = missing_values<std::uint16_t>(base::ElementType::u16);
  EXPECT_EQ(u16, std::vector<std::uint16_t>(3, 65534));
  EXPECT_EQ(missing_values<std::uint32_t>(base::ElementType::u32)[2], 0xFFFFFFFEU);
  EXPECT_EQ(missing_values<std::uint64_t>(base::ElementType::u64)[2], ~std::uint64_t{1});
  EXPECT_TRUE(std::isnan(missing_values<float>(base::ElementType::f32)[2]));
  const auto at_level = [](int level, std::uint16_t value) {
    std::uint16_t half = 0;
    take_half(level, {1, 1}, {{0, 0, 1, 1}, 1, reinterpret_cast<const std::byte*>(&value)},
              {{0, 0, 1, 1}, 1, reinterpret_cast<std::byte*>(&half)}, base::ElementType::u16);
    return half;
  };
  // Of the image, a count; of a smaller scale, the mark.
  EXPECT_EQ(at_level(1, 65534), 65535);
  EXPECT_EQ(at_level(2, 65534), 65534);
  for (const int count : {0, 1, 65533, 65535})
    EXPECT_EQ(at_level(1, static_cast<std::uint16_t>(count)), count);
}

}  // namespace
}  // namespace tessera::view
