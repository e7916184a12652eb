#include "color/sheet.hpp"

#include <gtest/gtest.h>

namespace tessera::color {
namespace {

TEST(Sheet, HasAStripAndTheInsideColourOfEachPalette) {
  const Palette palettes[] = {find_palette("ocean"), find_palette("gray")};
  const Sheet sheet = draw_sheet(palettes);
  ASSERT_EQ(sheet.rgb.size(), static_cast<std::size_t>(sheet.size_px.pixels()) * 3);
  const auto at = [&](std::int64_t x, std::int64_t y) {
    const std::size_t i = static_cast<std::size_t>(y * sheet.size_px.width + x) * 3;
    const auto byte = [&](std::size_t k) {
      return std::to_integer<std::uint8_t>(sheet.rgb[i + k]);
    };
    return Rgb{byte(0), byte(1), byte(2)};
  };
  const std::int64_t half = sheet.size_px.height / 2;
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(at(0, (i + 1) * half - 1), palettes[i].stops[0]);
    EXPECT_EQ(at(480, (i + 1) * half - 1), color_at(palettes[i], 0.5));
    EXPECT_EQ(at(sheet.size_px.width - 1, (i + 1) * half - 1), palettes[i].inside);
  }
}

}  // namespace
}  // namespace tessera::color
