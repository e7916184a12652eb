// Pictures that are turned against those that show them.
#include "color/turned_layer.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "color/rescale.hpp"

namespace tessera::color {
namespace {

constexpr base::ImageSize kWide{13, 8};

LightPicture picture_of(const std::vector<Pixel>& pixels, base::ImageSize size) {
  LightPicture picture;
  picture.begin({0, 0, size.width, size.height});
  for (std::int64_t y = 0; y < size.height; ++y) {
    picture.put(0, y,
                std::span(pixels).subspan(static_cast<std::size_t>(y * size.width),
                                          static_cast<std::size_t>(size.width)));
  }
  return picture;
}

std::vector<Pixel> dice(std::int64_t pixels) {
  std::mt19937 bits(11);
  std::vector<Pixel> all;
  for (std::int64_t i = 0; i < pixels; ++i) {
    const auto code = [&] { return static_cast<std::uint16_t>(bits()); };
    all.push_back({{code(), code(), code(), kFull}});
  }
  return all;
}

std::vector<Pixel> shown(const TurnedLayer& layer, const LightPicture& picture,
                         base::ImageSize size) {
  LightBlend blend;
  blend.begin(0, size);
  blend.add(layer, picture);
  std::vector<Pixel> all(static_cast<std::size_t>(size.pixels()));
  for (std::int64_t y = 0; y < size.height; ++y) {
    blend.finish(y, std::span(all).subspan(static_cast<std::size_t>(y * size.width),
                                           static_cast<std::size_t>(size.width)));
  }
  return all;
}

TurnedLayer alone(const Pose& pose) {
  return {pose, SoftEdge{pose, 0, 0}, true};
}

TEST(TurnedLayer, by_quarters_copies_pixels) {
  const std::vector<Pixel> source = dice(kWide.pixels());
  const LightPicture picture = picture_of(source, kWide);
  const base::ImageSize high{kWide.height, kWide.width};
  // The right of what is shown points up in the source: its columns are rows from the bottom.
  const auto up = shown(alone({kWide, high, 1, 90}), picture, high);
  const auto down = shown(alone({kWide, high, 1, -90}), picture, high);
  const auto around = shown(alone({kWide, kWide, 1, 180}), picture, kWide);
  for (std::int64_t y = 0; y < kWide.height; ++y) {
    for (std::int64_t x = 0; x < kWide.width; ++x) {
      const Pixel& wanted = source[static_cast<std::size_t>(y * kWide.width + x)];
      const std::int64_t from_bottom = kWide.height - 1 - y;
      const std::int64_t from_right = kWide.width - 1 - x;
      EXPECT_EQ(up[static_cast<std::size_t>(x * high.width + from_bottom)], wanted);
      EXPECT_EQ(down[static_cast<std::size_t>(from_right * high.width + y)], wanted);
      EXPECT_EQ(around[static_cast<std::size_t>(from_bottom * kWide.width + from_right)], wanted);
    }
  }
}

TEST(TurnedLayer, of_one_colour_has_it_everywhere_and_beyond) {
  const Pixel colour{{12345, 54321, 1, kFull}};
  const std::vector<Pixel> source(static_cast<std::size_t>(kWide.pixels()), colour);
  const LightPicture picture = picture_of(source, kWide);
  for (const double scale : {0.4, 1.0, 2.3, 5.0}) {
    for (const double turn_deg : {0.0, 1.0, 33.0, -120.0}) {
      for (const Pixel& pixel : shown(alone({kWide, kWide, scale, turn_deg}), picture, kWide)) {
        EXPECT_EQ(pixel, colour);
      }
    }
  }
}

TEST(TurnedLayer, needs_the_sources_that_it_names) {
  const std::vector<Pixel> source = dice(kWide.pixels());
  const base::ImageSize film{6, 5};
  for (const double turn_deg : {10.0, -50.0, 95.0}) {
    const TurnedLayer layer = alone({kWide, film, 1.3, turn_deg});
    const auto all = shown(layer, picture_of(source, kWide), film);
    for (std::int64_t y = 0; y < film.height; ++y) {
      const base::PixelRect part = layer.sources_of(y, 1);
      LightPicture picture;
      picture.begin(part);
      for (std::int64_t row = part.y; row < part.y + part.height; ++row) {
        const auto first = static_cast<std::size_t>(row * kWide.width + part.x);
        picture.put(part.x, row,
                    std::span(source).subspan(first, static_cast<std::size_t>(part.width)));
      }
      LightBlend blend;
      blend.begin(y, {film.width, 1});
      blend.add(layer, picture);
      std::vector<Pixel> row(static_cast<std::size_t>(film.width));
      blend.finish(y, row);
      const auto first = all.begin() + y * film.width;
      EXPECT_TRUE(std::equal(row.begin(), row.end(), first)) << turn_deg << " " << y;
    }
  }
}

TEST(SoftEdge, shares_add_up_to_all) {
  const Pose pose{kWide, {20, 15}, 1.0, 20};
  const SoftEdge edge{pose, 2, 0.7};
  const TurnedLayer inner{pose, edge, false};
  const TurnedLayer outer{{kWide, {20, 15}, 0.5, 10}, edge, true};
  for (std::int64_t y = 0; y < 15; ++y) {
    for (std::int64_t x = 0; x < 20; ++x) {
      EXPECT_EQ(inner.share(x, y) + outer.share(x, y), 1U << Layer::kShareBits);
    }
  }
  EXPECT_EQ(inner.share(0, 0), 0U) << "outside";
  EXPECT_EQ(inner.share(10, 7), 717U) << "0.7 of 1024";
}

}  // namespace
}  // namespace tessera::color
