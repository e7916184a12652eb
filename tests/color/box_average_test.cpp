#include "color/box_average.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

using Bytes = std::vector<std::byte>;

base::ImageSize small_size(const Bytes& rgb, std::int64_t width_px, int factor) {
  const auto pixels = static_cast<std::int64_t>(rgb.size() / 3);
  return {width_px / factor, pixels / width_px / factor};
}

/// Row by row, as a whole.
Bytes averaged(const Bytes& rgb, std::int64_t width_px, int factor) {
  const base::ImageSize size = small_size(rgb, width_px, factor);
  BoxAverage average(factor);
  average.begin(size);
  for (std::int64_t row = 0; row < size.height * factor; ++row) {
    average.add(row, 0, std::span(rgb).subspan(row * width_px * 3, size.width * factor * 3));
  }
  Bytes out(static_cast<std::size_t>(size.pixels()) * 3, std::byte{0xCD});
  average.finish(out);
  return out;
}

/// Box by box, from the definition.
Bytes averaged_simply(const Bytes& rgb, std::int64_t width_px, int factor) {
  const base::ImageSize size = small_size(rgb, width_px, factor);
  const std::uint64_t area = static_cast<std::uint64_t>(factor) * factor;
  Bytes out;
  for (std::int64_t i = 0; i < size.pixels() * 3; ++i) {
    const std::int64_t x = i / 3 % size.width * factor;
    const std::int64_t y = i / 3 / size.width * factor;
    std::uint64_t sum = 0;
    for (std::int64_t pixel = 0; pixel < factor * factor; ++pixel) {
      const std::int64_t at = (y + pixel / factor) * width_px + x + pixel % factor;
      sum += light_tables().light[std::to_integer<std::size_t>(rgb[at * 3 + i % 3])];
    }
    out.push_back(static_cast<std::byte>(light_tables().srgb[(sum + area / 2) / area]));
  }
  return out;
}

Bytes noise(std::size_t size) {
  std::mt19937 random(5);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

TEST(BoxAverage, OfAConstantImageIsThatConstantForEveryByteAndFactor) {
  for (int factor : {1, 2, 3, 7, 64, 200}) {
    for (int value = 0; value < 256; value += factor < 8 ? 1 : 15) {
      const std::int64_t width_px = factor * 2;
      const Bytes rgb(static_cast<std::size_t>(width_px * width_px) * 3,
                      static_cast<std::byte>(value));
      for (std::byte b : averaged(rgb, width_px, factor)) {
        ASSERT_EQ(std::to_integer<int>(b), value) << "factor " << factor;
      }
    }
  }
}

TEST(BoxAverage, OfBlackAndWhiteIsHalfTheLightNotHalfTheByte) {
  const std::size_t width_px = 6;
  Bytes rgb(width_px * 4 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const std::size_t pixel = i / 3;
    rgb[i] = (pixel % width_px + pixel / width_px) % 2 == 0 ? std::byte{255} : std::byte{0};
  }
  for (std::byte b : averaged(rgb, width_px, 2)) EXPECT_EQ(std::to_integer<int>(b), 188);
}

TEST(BoxAverage, KeepsBoxesAndChannelsApart) {
  // 4 x 2 pixels: a red box and a box that is blue in one pixel of four.
  Bytes rgb(4 * 2 * 3);
  for (std::size_t pixel : {0, 1, 4, 5}) rgb[pixel * 3] = std::byte{255};
  rgb[2 * 3 + 2] = std::byte{255};
  const auto quarter =
      static_cast<std::byte>(std::lround(255 * (1.055 * std::pow(0.25, 1 / 2.4) - 0.055)));
  const std::byte none{0}, full{255};
  EXPECT_EQ(averaged(rgb, 4, 2), (Bytes{full, none, none, none, none, quarter}));
}

TEST(BoxAverage, OfFactorOneChangesNothing) {
  Bytes rgb(256 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::byte>(i * 7);
  EXPECT_EQ(averaged(rgb, 16, 1), rgb);
}

TEST(BoxAverage, OfNoiseIsWhatTheDefinitionSays) {
  for (int factor : {1, 2, 3, 8, 17}) {
    const std::int64_t width_px = 5 * factor;
    const Bytes rgb = noise(static_cast<std::size_t>(width_px * 3 * factor) * 3);
    EXPECT_EQ(averaged(rgb, width_px, factor), averaged_simply(rgb, width_px, factor)) << factor;
  }
}

TEST(BoxAverage, DependsNeitherOnThePiecesNorOnTheirOrder) {
  const int factor = 5;
  const std::int64_t width_px = 20;
  const Bytes rgb = noise(static_cast<std::size_t>(width_px * 15) * 3);
  const Bytes whole = averaged(rgb, width_px, factor);
  for (std::int64_t piece : {1, 3, 7, 19}) {
    std::vector<std::int64_t> starts;
    for (std::int64_t row = 0; row < 15; ++row) {
      for (std::int64_t x = 0; x < width_px; x += piece) starts.push_back(row * width_px + x);
    }
    std::shuffle(starts.begin(), starts.end(), std::mt19937(static_cast<unsigned>(piece)));
    BoxAverage average(factor);
    average.begin({4, 3});
    for (std::int64_t at : starts) {
      const std::int64_t count = std::min(piece, width_px - at % width_px);
      average.add(at / width_px, at % width_px, std::span(rgb).subspan(at * 3, count * 3));
    }
    Bytes out(whole.size());
    average.finish(out);
    EXPECT_EQ(out, whole) << piece;
  }
}

TEST(BoxAverage, OfAMillionWhitePixelsIsWhite) {
  const Bytes row(1024 * 3, std::byte{255});
  BoxAverage average(1024);
  average.begin({1, 1});
  for (std::int64_t y = 0; y < 1024; ++y) average.add(y, 0, row);
  Bytes out(3);
  average.finish(out);
  EXPECT_EQ(out, Bytes(3, std::byte{255}));
}

TEST(BoxAverage, BeginsAnewWithAPictureOfAnotherSize) {
  BoxAverage average(2);
  average.begin({3, 2});
  average.add(0, 0, Bytes(18, std::byte{255}));
  average.begin({1, 1});
  Bytes out(3, std::byte{9});
  average.finish(out);
  EXPECT_EQ(out, Bytes(3));
}

}  // namespace
}  // namespace tessera::color
