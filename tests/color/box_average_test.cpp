#include <gtest/gtest.h>

#include <cmath>

#include "color/colorizer.hpp"

namespace tessera::color {
namespace {

std::vector<std::byte> averaged(const std::vector<std::byte>& rgb, std::size_t width_px,
                                int factor) {
  std::vector<std::byte> out(rgb.size() / static_cast<std::size_t>(factor * factor),
                             std::byte{0xCD});
  box_average(rgb, static_cast<std::int64_t>(width_px), factor, out);
  return out;
}

TEST(BoxAverage, OfAConstantImageIsThatConstantForEveryByteAndFactor) {
  for (int factor : {1, 2, 3, 7, 64, 200}) {
    for (int value = 0; value < 256; value += factor < 8 ? 1 : 15) {
      const std::size_t width_px = static_cast<std::size_t>(factor) * 2;
      const std::vector<std::byte> rgb(width_px * width_px * 3, static_cast<std::byte>(value));
      for (std::byte b : averaged(rgb, width_px, factor)) {
        ASSERT_EQ(std::to_integer<int>(b), value) << "factor " << factor;
      }
    }
  }
}

TEST(BoxAverage, OfBlackAndWhiteIsHalfTheLightNotHalfTheByte) {
  const std::size_t width_px = 6;
  std::vector<std::byte> rgb(width_px * 4 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const std::size_t pixel = i / 3;
    rgb[i] = (pixel % width_px + pixel / width_px) % 2 == 0 ? std::byte{255} : std::byte{0};
  }
  for (std::byte b : averaged(rgb, width_px, 2)) EXPECT_EQ(std::to_integer<int>(b), 188);
}

TEST(BoxAverage, KeepsBoxesAndChannelsApart) {
  // 4 x 2 pixels: a red box and a box that is blue in one pixel of four.
  std::vector<std::byte> rgb(4 * 2 * 3);
  for (std::size_t pixel : {0, 1, 4, 5}) rgb[pixel * 3] = std::byte{255};
  rgb[2 * 3 + 2] = std::byte{255};
  const auto quarter =
      static_cast<std::byte>(std::lround(255 * (1.055 * std::pow(0.25, 1 / 2.4) - 0.055)));
  const std::byte none{0}, full{255};
  EXPECT_EQ(averaged(rgb, 4, 2), (std::vector<std::byte>{full, none, none, none, none, quarter}));
}

TEST(BoxAverage, OfFactorOneChangesNothing) {
  std::vector<std::byte> rgb(256 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::byte>(i * 7);
  EXPECT_EQ(averaged(rgb, 16, 1), rgb);
}

}  // namespace
}  // namespace tessera::color
