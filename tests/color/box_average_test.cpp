#include "color/box_average.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

using Pixels = std::vector<Pixel>;

Pixel gray(std::uint16_t code) {
  return {{code, code, code, kFull}};
}

/// Row by row, as a whole.
Pixels averaged(const Pixels& pixels, std::int64_t width_px, int factor) {
  const auto rows = static_cast<std::int64_t>(pixels.size()) / width_px;
  const base::ImageSize size{width_px / factor, rows / factor};
  BoxAverage average(factor);
  average.begin(size);
  for (std::int64_t row = 0; row < size.height * factor; ++row) {
    average.add(row, 0, std::span(pixels).subspan(row * width_px, size.width * factor));
  }
  Pixels out(static_cast<std::size_t>(size.pixels()));
  for (std::int64_t row = 0; row < size.height; ++row) {
    average.finish(row, std::span(out).subspan(row * size.width, size.width));
  }
  return out;
}

/// Box by box, from the definition, in floating point.
Pixels averaged_simply(const Pixels& pixels, std::int64_t width_px, int factor) {
  const std::int64_t columns = width_px / factor;
  const std::int64_t rows = static_cast<std::int64_t>(pixels.size()) / width_px / factor;
  Pixels out;
  for (std::int64_t i = 0; i < columns * rows; ++i) {
    std::array<double, 3> light{};
    double opaque = 0;
    for (std::int64_t k = 0; k < factor * factor; ++k) {
      const std::int64_t x = i % columns * factor + k % factor;
      const std::int64_t y = i / columns * factor + k / factor;
      const Pixel& pixel = pixels[y * width_px + x];
      if (pixel.channel[3] == 0) continue;
      ++opaque;
      for (std::size_t c = 0; c < 3; ++c) light[c] += to_light(pixel.channel[c] / 65535.0);
    }
    Pixel& mean = out.emplace_back();
    for (std::size_t c = 0; c < 3 && opaque > 0; ++c) {
      mean.channel[c] = static_cast<std::uint16_t>(std::lround(65535 * to_code(light[c] / opaque)));
    }
    mean.channel[3] = static_cast<std::uint16_t>(std::lround(65535 * opaque / (factor * factor)));
  }
  return out;
}

/// In light, 16-bit codes near black are 20 of 2^24 apart: the integer tables are exact to one
/// code.
void expect_near(const Pixels& a, const Pixels& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      ASSERT_LE(std::abs(a[i].channel[c] - b[i].channel[c]), 1) << i << " channel " << c;
    }
  }
}

/// One pixel of eight is transparent.
Pixels noise(std::size_t size, bool holes) {
  std::mt19937 random(5);
  Pixels pixels(size);
  for (Pixel& pixel : pixels) {
    if (holes && random() % 8 == 0) continue;
    const auto code = [&] { return static_cast<std::uint16_t>(random()); };
    pixel = {{code(), code(), code(), kFull}};
  }
  return pixels;
}

TEST(LightTables, MapEveryCodeBackToItself) {
  const LightTables& tables = light_tables();
  for (std::uint32_t code = 0; code < 65536; ++code) {
    ASSERT_EQ(tables.code(tables.light(static_cast<std::uint16_t>(code))), code);
  }
  EXPECT_EQ(tables.light(0), 0u);
  EXPECT_EQ(tables.light(65535), 0xFFFFFFu);
}

TEST(BoxAverage, OfAConstantImageIsThatConstant) {
  for (int factor : {1, 2, 3, 7, 64}) {
    for (std::uint32_t code = 0; code < 65536; code += factor < 8 ? 257 : 4112) {
      const std::int64_t width_px = factor * 2;
      const Pixel pixel = gray(static_cast<std::uint16_t>(code));
      const Pixels pixels(static_cast<std::size_t>(width_px * width_px), pixel);
      for (const Pixel& mean : averaged(pixels, width_px, factor)) ASSERT_EQ(mean, pixel);
    }
  }
}

TEST(BoxAverage, OfBlackAndWhiteIsHalfTheLightNotHalfTheCode) {
  const Pixels pixels{gray(0), gray(kFull), gray(kFull), gray(0)};
  EXPECT_EQ(averaged(pixels, 2, 2)[0].channel[0] / 257, 187);  // 187.5
}

TEST(BoxAverage, OfFactorOneChangesNothing) {
  const Pixels pixels = noise(256, true);
  EXPECT_EQ(averaged(pixels, 16, 1), pixels);
}

TEST(BoxAverage, OfNoiseIsWhatTheDefinitionSays) {
  for (int factor : {1, 2, 3, 8, 17}) {
    for (const bool holes : {false, true}) {
      const std::int64_t width_px = 5 * factor;
      const Pixels pixels = noise(static_cast<std::size_t>(width_px * 3 * factor), holes);
      expect_near(averaged(pixels, width_px, factor), averaged_simply(pixels, width_px, factor));
    }
  }
}

TEST(BoxAverage, DependsNeitherOnThePiecesNorOnTheirOrder) {
  const int factor = 5;
  const std::int64_t width_px = 20;
  const Pixels pixels = noise(static_cast<std::size_t>(width_px * 15), true);
  const Pixels whole = averaged(pixels, width_px, factor);
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
      average.add(at / width_px, at % width_px, std::span(pixels).subspan(at, count));
    }
    Pixels out(whole.size());
    for (std::int64_t row = 0; row < 3; ++row) {
      average.finish(row, std::span(out).subspan(row * 4, 4));
    }
    EXPECT_EQ(out, whole) << piece;
  }
}

TEST(BoxAverage, OfAMillionWhitePixelsIsWhite) {
  const Pixels row(1024, gray(kFull));
  BoxAverage average(1024);
  average.begin({1, 1});
  for (std::int64_t y = 0; y < 1024; ++y) average.add(y, 0, row);
  Pixels out(1);
  average.finish(0, out);
  EXPECT_EQ(out[0], gray(kFull));
}

TEST(BoxAverage, BeginsAnewWithAPictureOfAnotherSize) {
  BoxAverage average(2);
  average.begin({3, 2});
  average.add(0, 0, Pixels(6, gray(kFull)));
  average.begin({1, 1});
  Pixels out(1, gray(9));
  average.finish(0, out);
  EXPECT_EQ(out[0], Pixel{});
}

}  // namespace
}  // namespace tessera::color
