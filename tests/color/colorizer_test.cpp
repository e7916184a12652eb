#include "color/colorizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace tessera::color {
namespace {

constexpr double kCyclesPerOctave = 0.35;

Pixel wide(const Rgb& rgb) {
  const auto code = [](std::uint8_t byte) { return static_cast<std::uint16_t>(257 * byte); };
  return {{code(rgb.r), code(rgb.g), code(rgb.b), kFull}};
}

double fraction(double cycles) {
  return cycles - std::floor(cycles);
}

/// What the header promises, in double precision: the phase is that of the step of value + 1, of
/// which there are 1024 to an octave, evenly spaced within it. A smooth value is between two steps.
Pixel slow_color(const Palette& palette, double iterations, double value, bool smooth) {
  if (value >= iterations) return wide(palette.inside);
  // Counts of 24 bits and more are rounded to a float before they are looked up.
  const double x =
      std::max(1.0, static_cast<double>(static_cast<float>(static_cast<float>(value) + 1.0f)));
  const double octave = std::floor(std::log2(x));
  const double place = (x / std::exp2(octave) - 1) * 1024;
  const double step = std::floor(place);
  const auto phase = [&](double s) {
    return fraction(kCyclesPerOctave * (octave + std::log2(1 + s / 1024)));
  };
  if (!smooth) return wide(color_at(palette, phase(step)));
  const auto from = deep_color_at(palette, phase(step));
  const auto to = deep_color_at(palette, phase(step + 1));
  Pixel pixel{{0, 0, 0, kFull}};
  for (std::size_t i = 0; i < 3; ++i) {
    pixel.channel[i] = static_cast<std::uint16_t>(
        std::floor(from[i] + (static_cast<double>(to[i]) - from[i]) * (place - step)));
  }
  return pixel;
}

Pixel color_by(const Phase& phase, bool bytes, auto value, base::ElementType type) {
  const Colorizer colorizer(find_palette("sunset"), 1000000, phase, bytes);
  Pixel pixel;
  colorizer.colorize(reinterpret_cast<const std::byte*>(&value), type, {&pixel, 1});
  return pixel;
}

TEST(OtherScales, RepeatAfterAPeriodOfTheScaledValue) {
  using enum base::ElementType;
  const Palette palette = find_palette("sunset");
  constexpr double kPeriod = 37.5;
  const std::pair<Scale, double (*)(double)> scales[] = {
      {Scale::linear, [](double x) { return x; }},
      {Scale::sqrt, [](double x) { return std::sqrt(x); }},
      {Scale::cbrt, [](double x) { return std::cbrt(x); }}};
  for (const auto& [scale, scaled] : scales) {
    const Phase phase{.offset = -0.25, .scale = scale, .period = kPeriod};
    for (const std::uint32_t count : {0U, 1U, 37U, 1234U, 65535U, 65536U, 999999U}) {
      const auto wanted = deep_color_at(palette, fraction(scaled(count) / kPeriod - 0.25));
      const Pixel deep = color_by(phase, false, count, u32);
      const Pixel byte = color_by(phase, true, count, u32);
      const Pixel smooth = color_by(phase, true, static_cast<float>(count), f32);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(deep.channel[c], wanted[c], 32) << count;
        EXPECT_EQ(byte.channel[c] % 257, 0);
        EXPECT_NEAR(byte.channel[c], wanted[c], 160) << count;
        EXPECT_EQ(smooth.channel[c], deep.channel[c]) << count;
      }
    }
    EXPECT_EQ(color_by(phase, true, 1000000U, u32), wide(palette.inside));
    EXPECT_EQ(color_by(phase, true, 1e6f, f32), wide(palette.inside));
  }
}

TEST(OtherScales, HaveAColorWhereTheCyclesOverflow) {
  const Phase phase{.offset = 0.3, .scale = Scale::linear, .period = 1e-320};
  const Pixel first = color_by(phase, false, 0U, base::ElementType::u32);
  EXPECT_EQ(color_by(phase, false, 999999U, base::ElementType::u32), first);
  EXPECT_EQ(color_by(phase, true, 1e30f, base::ElementType::f32), first);
}

TEST(ManyCyclesAnOctave, HaveTheColorOfEachValue) {
  using enum base::ElementType;
  const Palette palette = find_palette("sunset");
  for (const double cycles : {16.5, 300.0, 1000.0}) {
    const Phase phase{.cycles_per_octave = cycles, .offset = 0.25};
    for (std::uint32_t count = 0; count < 1000000; count = count * 9 / 8 + 1) {
      for (const double part : {0.0, 0.3, 0.7}) {
        const auto value = static_cast<float>(count + part);
        const double of = std::log2(static_cast<double>(value) + 1);
        const auto wanted = deep_color_at(palette, fraction(cycles * of + 0.25));
        const Pixel smooth = color_by(phase, true, value, f32);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(smooth.channel[c], wanted[c], 32) << value;
      }
      const Pixel byte = color_by(phase, true, count, u32);
      const auto wanted = deep_color_at(
          palette, fraction(cycles * std::log2(static_cast<double>(count) + 1) + 0.25));
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(byte.channel[c], wanted[c], 160) << count;
    }
    EXPECT_EQ(color_by(phase, true, 1000000U, u32), wide(palette.inside));
    EXPECT_EQ(color_by(phase, true, -3.0f, f32), color_by(phase, false, 0U, u32));
  }
}

template <class T>
void expect_slow_colors(base::ElementType type, std::uint64_t iterations,
                        const std::vector<T>& values) {
  const Palette palette = find_palette("sunset");
  const Colorizer colorizer(palette, iterations, Phase{.cycles_per_octave = kCyclesPerOctave});
  std::vector<Pixel> pixels(values.size());
  colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), type, pixels);
  const bool smooth = type == base::ElementType::f32;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double limit = smooth ? static_cast<float>(iterations) : static_cast<double>(iterations);
    const Pixel slow = slow_color(palette, limit, static_cast<double>(values[i]), smooth);
    for (std::size_t c = 0; c < 4; ++c) {
      ASSERT_LE(std::abs(pixels[i].channel[c] - slow.channel[c]), smooth ? 1 : 0)
          << values[i] << " of " << iterations;
    }
  }
}

TEST(Colorizer, EqualsTheSlowFormulaForCountsOf16Bits) {
  std::vector<std::uint16_t> values;
  for (int i = 0; i < 65536; i += i < 4096 ? 1 : 37)
    values.push_back(static_cast<std::uint16_t>(i));
  values.push_back(65535);
  for (std::uint32_t iterations : {1u, 100u, 20000u, 65535u, 65536u, 1000000u}) {
    expect_slow_colors(base::ElementType::u16, iterations, values);
  }
}

TEST(Colorizer, EqualsTheSlowFormulaForCountsOf32Bits) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> values = {0,          1,          16777215,   16777216,   16777217,
                                       2147483647, 2147483648, 4294967293, 4294967294, 4294967295};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<std::uint32_t>(random()) >> random() % 32);
  }
  for (std::uint32_t iterations : {1000u, 16777217u, 4294967294u}) {
    expect_slow_colors(base::ElementType::u32, iterations, values);
  }
}

TEST(Colorizer, EqualsTheSlowFormulaForCountsOf64Bits) {
  std::mt19937_64 random(7);
  constexpr std::uint64_t kMax = std::uint64_t{1} << 53;
  std::vector<std::uint64_t> values = {0, 1, 16777217, 4294967295, 4294967296, kMax - 1, kMax};
  for (int i = 0; i < 5000; ++i) values.push_back((random() >> 11) >> random() % 53);
  for (const std::uint64_t iterations : {std::uint64_t{4294967295}, kMax}) {
    expect_slow_colors(base::ElementType::u64, iterations, values);
  }
}

TEST(Colorizer, EqualsTheSlowFormulaForSmoothValues) {
  std::mt19937 random(6);
  std::vector<float> values = {0.0f, -0.0f, -7.5f, 0.25f, 999.9999f, 1000.0f, 1003.5f, 5e9f};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(std::exp2(static_cast<float>(random() % 32000) / 1000) - 1);
  }
  for (std::uint32_t iterations : {1000u, 4294967294u}) {
    std::vector<float> below = values;
    std::erase_if(below, [=](float value) { return value > static_cast<float>(iterations); });
    below.push_back(static_cast<float>(iterations));
    expect_slow_colors(base::ElementType::f32, iterations, below);
  }
}

template <class T>
std::vector<Pixel> colors_of(const Colorizer& colorizer, base::ElementType type,
                             const std::vector<T>& values) {
  std::vector<Pixel> pixels(values.size());
  colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), type, pixels);
  return pixels;
}

TEST(Colorizer, ColorOrbitsThatEscapeInTheirLastSteps) {
  const Palette palette = find_palette("ember");
  const std::vector<float> values = {9.5f, 10.0f, 10.25f, 13.0f, 41.0f, 60.0f, 1e30f};
  const auto pixels = colors_of(Colorizer(palette, 10), base::ElementType::f32, values);
  const auto deeper = colors_of(Colorizer(palette, 1000), base::ElementType::f32, values);
  EXPECT_EQ(pixels[1], wide(palette.inside));
  for (const std::size_t i : {0, 2, 3, 4}) EXPECT_EQ(pixels[i], deeper[i]) << values[i];
  EXPECT_NE(pixels[5], wide(palette.inside));
  StepCounts counts(10);
  counts.add(reinterpret_cast<const std::byte*>(values.data()), base::ElementType::f32, 7);
  const auto counted = counts.counts();
  EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), std::uint64_t{0}), 6);
}

TEST(Colorizer, NotANumberDoesNotReachOutsideTheTable) {
  const Palette palette = find_palette("ice");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(), kInfinity,
                                     -kInfinity};
  const auto pixels = colors_of(Colorizer(palette, 100), base::ElementType::f32, values);
  EXPECT_EQ(pixels[0], wide(palette.stops[0]));
  EXPECT_NE(pixels[1], wide(palette.inside));
  EXPECT_EQ(pixels[2], wide(palette.stops[0]));
}

TEST(Colorizer, TakesValuesAtAnyAddress) {
  const Colorizer colorizer(find_palette("ember"), 5000);
  std::vector<std::uint32_t> values(700);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(7 * i);
  std::vector<std::byte> moved(values.size() * 4 + 1);
  std::memcpy(moved.data() + 1, values.data(), values.size() * 4);
  std::vector<Pixel> odd(values.size());
  colorizer.colorize(moved.data() + 1, base::ElementType::u32, odd);
  EXPECT_EQ(colors_of(colorizer, base::ElementType::u32, values), odd);
}

TEST(Colorizer, MovesAndRepeatsThePalette) {
  const Palette palette = find_palette("ocean");
  const std::vector<std::uint16_t> values = {0, 1, 3, 7};
  const Colorizer colorizer(palette, 100, Phase{.cycles_per_octave = 0.5, .offset = -0.25});
  const auto pixels = colors_of(colorizer, base::ElementType::u16, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double phase = fraction(0.5 * static_cast<double>(i) - 0.25);
    EXPECT_EQ(pixels[i], wide(color_at(palette, phase))) << i;
  }
}

TEST(Colorizer, HasFinerColoursOfCountsForDeepPictures) {
  const std::vector<std::uint16_t> values = {1, 2, 4, 5, 6};
  const auto pixels = colors_of(Colorizer(find_palette("ocean"), 100, Phase{}, false),
                                base::ElementType::u16, values);
  EXPECT_TRUE(std::ranges::any_of(pixels, [](const Pixel& p) { return p.channel[0] % 257 != 0; }));
}

TEST(StepCounts, TellHighCountsApartThatAreClose) {
  const std::uint32_t iterations = 800000;
  const std::vector<std::uint32_t> values = {105235, 105236, 105240, 105269};
  const auto bytes = reinterpret_cast<const std::byte*>(values.data());
  StepCounts coarse(iterations);
  coarse.add(bytes, base::ElementType::u32, values.size());
  const std::uint64_t least = coarse.coarse_least();
  EXPECT_LE(least, 105235U);
  EXPECT_GT(least, 105000U);
  const ValueRange range(iterations, least);
  StepCounts fine(range);
  fine.add(bytes, base::ElementType::u32, values.size());
  EXPECT_EQ(std::ranges::count(coarse.counts(), 0U), std::ssize(coarse.counts()) - 1);
  EXPECT_EQ(std::ranges::count(fine.counts(), 0U), std::ssize(fine.counts()) - 4);
}

TEST(StepCounts, AreFineEnoughBelowTwoCountsAStep) {
  for (const std::uint32_t least : {100U, 2046U, 2047U, 2048U, 2050U}) {
    StepCounts counts(10000);
    counts.add(reinterpret_cast<const std::byte*>(&least), base::ElementType::u32, 1);
    EXPECT_EQ(counts.coarse_least() > 0, least > 2048) << least;
  }
}

TEST(StepCounts, GiveEachColourTheSameNumberOfPixels) {
  const std::uint32_t iterations = 1000;
  std::mt19937 random(9);
  std::vector<float> values;
  for (int i = 0; i < 100'000; ++i) {
    const double x = static_cast<double>(random()) / 4294967296.0;
    values.push_back(static_cast<float>(3 + 500 * x * x * x));
  }
  values.insert(values.end(), 5000, 1000.0f);  // inside: not counted
  StepCounts counts(iterations);
  counts.add(reinterpret_cast<const std::byte*>(values.data()), base::ElementType::f32,
             values.size());
  const std::vector<double> phases = counts.phases(1, 0);
  ASSERT_EQ(phases.size(), steps_of(iterations) + 1);
  EXPECT_EQ(phases.front(), 0);
  EXPECT_EQ(phases.back(), 1);
  const Palette black_to_white{"", "", {{0, 0, 0}, {255, 255, 255}}, {1, 2, 3}};
  const auto pixels =
      colors_of(Colorizer(black_to_white, iterations, phases), base::ElementType::f32, values);
  // The palette goes to white and back: half of the pixels have more than half of the light.
  const auto bright =
      std::ranges::count_if(pixels, [](const Pixel& pixel) { return pixel.channel[0] > 48000; });
  EXPECT_NEAR(static_cast<double>(bright) / 100'000, 0.5, 0.02);
  EXPECT_EQ(StepCounts(iterations).phases(1, 0.5).back(), 0.5);
}

}  // namespace
}  // namespace tessera::color
