// Pictures at any scale.
#include "color/rescale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tessera::color {
namespace {

constexpr std::uint32_t kAll = 1U << Layer::kShareBits;

Pixel grey(std::uint16_t code) {
  return {{code, code, code, kFull}};
}

std::vector<Pixel> noise(std::size_t pixels) {
  std::mt19937 dice(7);
  std::vector<Pixel> all;
  for (std::size_t i = 0; i < pixels; ++i) all.push_back(grey(static_cast<std::uint16_t>(dice())));
  return all;
}

Layer whole(base::ImageSize source, base::ImageSize target, double scale) {
  return {Taps(source.width, target.width, scale), Taps(source.height, target.height, scale),
          std::vector<std::uint32_t>(static_cast<std::size_t>(target.width), kAll),
          std::vector<std::uint32_t>(static_cast<std::size_t>(target.height), kAll)};
}

std::vector<Pixel> rows_of(const LightBlend& blend, base::ImageSize size) {
  std::vector<Pixel> all(static_cast<std::size_t>(size.pixels()));
  for (std::int64_t y = 0; y < size.height; ++y) {
    blend.finish(y, std::span(all).subspan(static_cast<std::size_t>(y * size.width),
                                           static_cast<std::size_t>(size.width)));
  }
  return all;
}

TEST(Taps, add_up_to_one_and_cover_what_they_should) {
  for (const double scale : {0.3, 0.99, 1.0, 1.41, 2.0, 7.7}) {
    const Taps taps(100, 40, scale);
    for (std::int64_t i = 0; i < 40; ++i) {
      const double middle = (static_cast<double>(i) + 0.5 - 20) * scale + 50;
      const auto weights = taps.weights(i);
      const bool inside = middle >= 0 && middle <= 100;
      const auto sum = std::accumulate(weights.begin(), weights.end(), 0);
      EXPECT_EQ(sum, inside ? 1 << Taps::kWeightBits : 0) << scale << " " << i;
    }
  }
}

TEST(Taps, at_scale_one_copy) {
  const Taps taps(9, 9, 1);
  for (std::int64_t i = 0; i < 9; ++i) {
    EXPECT_EQ(taps.targets_of(i, i + 1).begin, i);
    EXPECT_EQ(taps.targets_of(i, i + 1).end, i + 1);
  }
}

TEST(Taps, know_their_targets_and_sources) {
  const Taps taps(64, 20, 2.5);
  for (std::int64_t begin = 0; begin < 64; begin += 5) {
    const auto [low, high] = taps.targets_of(begin, begin + 5);
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::int64_t last = taps.first(i) + std::ssize(taps.weights(i));
      const bool touches = taps.first(i) < begin + 5 && last > begin;
      EXPECT_EQ(touches, i >= low && i < high) << begin << " " << i;
    }
  }
  const auto all = taps.sources_of(0, 20);
  EXPECT_LE(all.begin, 8);
  EXPECT_GE(all.end, 56);
}

TEST(LightBlend, of_one_colour_is_that_colour) {
  const base::ImageSize source{50, 30};
  const base::ImageSize target{23, 11};
  const std::vector<Pixel> row(50, grey(12345));
  for (const double scale : {0.5, 1.0, 1.7, 2.1}) {
    LightBlend blend;
    blend.begin(0, target);
    const Layer layer = whole(source, target, scale);
    for (std::int64_t y = 0; y < source.height; ++y) blend.add(layer, y, 0, row);
    for (const Pixel& pixel : rows_of(blend, target)) EXPECT_EQ(pixel, grey(12345));
  }
}

TEST(LightBlend, does_not_depend_on_order_pieces_and_rows_at_a_time) {
  const base::ImageSize source{60, 40};
  const base::ImageSize target{25, 17};
  const std::vector<Pixel> pixels = noise(60 * 40);
  const Layer layer = whole(source, target, 2.2);
  LightBlend blend;
  blend.begin(0, target);
  for (std::int64_t y = 0; y < 40; ++y) {
    blend.add(layer, y, 0, std::span(pixels).subspan(static_cast<std::size_t>(60 * y), 60));
  }
  const auto wanted = rows_of(blend, target);
  std::vector<Pixel> cut;
  for (std::int64_t first = 0; first < 17; first += 5) {
    const base::ImageSize part{25, std::min<std::int64_t>(5, 17 - first)};
    blend.begin(first, part);
    for (std::int64_t y = 39; y >= 0; --y) {
      for (const std::int64_t x : {45, 0, 15, 30}) {
        blend.add(layer, y, x, std::span(pixels).subspan(static_cast<std::size_t>(60 * y + x), 15));
      }
    }
    for (std::int64_t y = first; y < first + part.height; ++y) {
      cut.resize(cut.size() + 25);
      blend.finish(y, std::span(cut).last(25));
    }
  }
  EXPECT_EQ(cut, wanted);
}

TEST(LightBlend, takes_the_rest_from_the_other_layer) {
  const base::ImageSize size{8, 4};
  Layer wide = whole(size, size, 1);
  wide.rest = true;
  Layer narrow = whole(size, size, 1);
  for (std::size_t x = 0; x < 8; ++x) {
    wide.column_share[x] = narrow.column_share[x] = x < 4 ? kAll : 0;
  }
  LightBlend blend;
  blend.begin(0, size);
  for (std::int64_t y = 0; y < 4; ++y) {
    blend.add(wide, y, 0, std::vector<Pixel>(8, grey(100)));
    blend.add(narrow, y, 0, std::vector<Pixel>(8, grey(60000)));
  }
  const auto all = rows_of(blend, size);
  EXPECT_EQ(all[0], grey(60000));
  EXPECT_EQ(all[7], grey(100));
}

}  // namespace
}  // namespace tessera::color
