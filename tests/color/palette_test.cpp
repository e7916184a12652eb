#include "color/palette.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"

namespace tessera::color {
namespace {

double light(std::uint8_t srgb) {
  const double x = srgb / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

TEST(Palettes, AreAtLeastTenWithNamesOfTheirOwnAndADescription) {
  std::set<std::string> names;
  for (const Palette& palette : builtin_palettes()) {
    names.insert(palette.name);
    EXPECT_GE(palette.description.size(), 20u) << palette.name;
    EXPECT_EQ(palette.description.find('\n'), std::string::npos) << palette.name;
    EXPECT_GE(palette.stops.size(), 5u) << palette.name;
  }
  EXPECT_EQ(names.size(), builtin_palettes().size());
  EXPECT_GE(names.size(), 10u);
}

TEST(Palettes, SayWhichAreColourBlindSafe) {
  for (const char* name : {"viridis", "cividis", "gray"}) {
    EXPECT_NE(find_palette(name).description.find("colour-blind safe"), std::string::npos) << name;
  }
}

TEST(Palettes, TheSafeOnesChangeLightnessOneWayAndBack) {
  for (const char* name : {"viridis", "cividis", "gray"}) {
    const Palette palette = find_palette(name);
    const std::size_t half = palette.stops.size() / 2;
    for (std::size_t i = 0; i < palette.stops.size(); ++i) {
      const auto luminance = [&](std::size_t k) {
        const Rgb c = palette.stops[k % palette.stops.size()];
        return 0.2126 * light(c.r) + 0.7152 * light(c.g) + 0.0722 * light(c.b);
      };
      EXPECT_EQ(luminance(i) < luminance(i + 1), i < half) << name << " stop " << i;
    }
  }
}

TEST(Palettes, AnUnknownNameIsAUsageErrorWithTheNearest) {
  try {
    find_palette("twiligt");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'twilight'?"), std::string::npos)
        << error.what();
  }
}

TEST(ColorAt, HitsEveryStop) {
  for (const Palette& palette : builtin_palettes()) {
    const auto count = static_cast<double>(palette.stops.size());
    for (std::size_t i = 0; i < palette.stops.size(); ++i) {
      EXPECT_EQ(color_at(palette, static_cast<double>(i) / count), palette.stops[i])
          << palette.name << " stop " << i;
    }
  }
}

TEST(ColorAt, IsCyclicWithoutASeam) {
  for (const Palette& palette : builtin_palettes()) {
    EXPECT_EQ(color_at(palette, std::nextafter(1.0, 0.0)), color_at(palette, 0)) << palette.name;
  }
}

TEST(ColorAt, MixesInLinearLight) {
  const Palette palette{"", "", {{0, 0, 0}, {255, 255, 255}}, {}};
  // Half of the light of white is the byte 188, not 128.
  EXPECT_EQ(color_at(palette, 0.25), (Rgb{188, 188, 188}));
}

TEST(ColorAt, IsTheDeepColourIn8Bits) {
  const Palette palette = find_palette("aurora");
  for (int i = 0; i < 1000; ++i) {
    const Rgb rgb = color_at(palette, i / 1000.0);
    const auto deep = deep_color_at(palette, i / 1000.0);
    EXPECT_LE(std::abs(deep[0] - 257 * rgb.r), 129);
    EXPECT_LE(std::abs(deep[1] - 257 * rgb.g), 129);
    EXPECT_LE(std::abs(deep[2] - 257 * rgb.b), 129);
  }
}

TEST(ColorAt, ChangesSmoothly) {
  for (const Palette& palette : builtin_palettes()) {
    Rgb last = color_at(palette, 0);
    for (int i = 1; i <= 100'000; i += 3) {
      const Rgb now = color_at(palette, i % 100'000 / 1e5);
      const int step =
          std::max({std::abs(now.r - last.r), std::abs(now.g - last.g), std::abs(now.b - last.b)});
      ASSERT_LE(step, 3) << palette.name << " at " << i;
      last = now;
    }
  }
}

}  // namespace
}  // namespace tessera::color
