#include "color/pixel_format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

using Pixels = std::vector<Pixel>;

std::vector<int> stored(const PixelFormat& format, const Pixels& pixels, std::int64_t x = 0,
                        std::int64_t y = 0) {
  std::vector<std::byte> bytes(pixels.size() * format.bytes());
  store_pixels(format, pixels, x, y, bytes.data());
  std::vector<int> numbers;
  for (const std::byte b : bytes) numbers.push_back(std::to_integer<int>(b));
  return numbers;
}

TEST(StorePixels, RoundsToTheNearestByte) {
  const Pixels pixels{{{0, 128, 129, kFull}}, {{385, 386, 65535, 0}}};
  EXPECT_EQ(stored({}, pixels), (std::vector{0, 0, 1, 1, 2, 255}));
  EXPECT_EQ(stored({.alpha = true}, pixels), (std::vector{0, 0, 1, 255, 1, 2, 255, 0}));
}

TEST(StorePixels, HasTheHighByteOf16BitsFirst) {
  const Pixels pixels{{{0x1234, 0xABCD, 0xFF, 0x8000}}};
  EXPECT_EQ(stored({.depth = 16}, pixels), (std::vector{0x12, 0x34, 0xAB, 0xCD, 0, 0xFF}));
  EXPECT_EQ(stored({.depth = 16, .alpha = true}, pixels).size(), 8u);
}

/// Of f16, from 0 to 1.
double real_of(std::uint16_t half) {
  const int exponent = half >> 10, fraction = half & 1023;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

TEST(StorePixels, HasTheF16NearestToTheLight) {
  for (std::uint32_t code = 0; code <= kFull; ++code) {
    const Pixels pixels{{{static_cast<std::uint16_t>(code), 0, kFull, kFull}}};
    const auto bytes = stored({.depth = 16, .alpha = true, .light = true}, pixels);
    const auto half = static_cast<std::uint16_t>(bytes[0] + 256 * bytes[1]);
    const double light = to_light(code / 65535.0), error = std::abs(real_of(half) - light);
    EXPECT_LE(error, std::abs(real_of(half + 1) - light));
    if (half > 0) {
      EXPECT_LE(error, std::abs(real_of(half - 1) - light));
    }
    EXPECT_EQ(bytes[5] * 256 + bytes[4], 0x3C00);  // 1
    EXPECT_EQ(bytes[7] * 256 + bytes[6], 0x3C00);
  }
}

TEST(StorePixels, DithersNothingThat8BitsHold) {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const auto code = static_cast<std::uint16_t>(257 * byte);
    const auto bytes = stored({.dither = true}, Pixels(64, {{code, code, code, kFull}}), 5, 9);
    EXPECT_EQ(bytes, std::vector<int>(64 * 3, static_cast<int>(byte)));
  }
}

TEST(StorePixels, DithersToTheMeanOfTheColour) {
  for (const int code : {1, 100, 257 * 100 + 64, 257 * 100 + 128, 257 * 7 + 200, 65534}) {
    const auto c = static_cast<std::uint16_t>(code);
    double sum = 0;
    for (std::int64_t y = 0; y < 100; ++y) {
      for (const int byte : stored({.dither = true}, Pixels(100, {{c, c, c, kFull}}), 0, y)) {
        EXPECT_LE(std::abs(byte - code / 257.0), 1);
        sum += byte;
      }
    }
    EXPECT_NEAR(sum / 30000, code / 257.0, 0.01) << code;
  }
}

TEST(StorePixels, DithersByThePlaceAlone) {
  const Pixels row(50, {{1000, 20000, 50000, kFull}});
  const PixelFormat format{.dither = true};
  const auto whole = stored(format, row, 2'000'000'000, 2'100'000'000);
  for (std::int64_t x = 0; x < 50; ++x) {
    const auto one = stored(format, {row[0]}, 2'000'000'000 + x, 2'100'000'000);
    EXPECT_EQ(one, std::vector<int>(whole.begin() + 3 * x, whole.begin() + 3 * x + 3));
  }
}

}  // namespace
}  // namespace tessera::color
