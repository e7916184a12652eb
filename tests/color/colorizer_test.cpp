#include "color/colorizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tessera::color {
namespace {

constexpr double kCyclesPerOctave = 0.35;

/// What the header promises, in double precision: the phase is that of the step of value + 1, of
/// which there are 1024 to an octave, evenly spaced within it.
Rgb slow_color(const Palette& palette, double iterations, double value) {
  if (value >= iterations) return palette.inside;
  // Counts of 24 bits and more are rounded to a float before they are looked up.
  const double x =
      std::max(1.0, static_cast<double>(static_cast<float>(static_cast<float>(value) + 1.0f)));
  const double octave = std::floor(std::log2(x));
  const double step = std::floor((x / std::exp2(octave) - 1) * 1024);
  const double cycles = kCyclesPerOctave * (octave + std::log2(1 + step / 1024));
  return color_at(palette, cycles - std::floor(cycles));
}

template <class T>
void expect_slow_colors(base::ElementType type, std::uint32_t iterations,
                        const std::vector<T>& values) {
  const Palette palette = find_palette("sunset");
  const Colorizer colorizer(palette, iterations, kCyclesPerOctave);
  std::vector<std::byte> rgb(values.size() * 3);
  colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), type, values.size(),
                     rgb.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Rgb slow = slow_color(palette,
                                type == base::ElementType::f32 ? static_cast<float>(iterations)
                                                               : static_cast<double>(iterations),
                                static_cast<double>(values[i]));
    const Rgb fast{std::to_integer<std::uint8_t>(rgb[3 * i]),
                   std::to_integer<std::uint8_t>(rgb[3 * i + 1]),
                   std::to_integer<std::uint8_t>(rgb[3 * i + 2])};
    ASSERT_EQ(fast, slow) << values[i] << " of " << iterations;
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

TEST(Colorizer, EqualsTheSlowFormulaForSmoothValues) {
  std::mt19937 random(6);
  std::vector<float> values = {0.0f, -0.0f, -7.5f, 0.25f, 999.9999f, 1000.0f, 1003.5f, 5e9f};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(std::exp2(static_cast<float>(random() % 32000) / 1000) - 1);
  }
  for (std::uint32_t iterations : {1000u, 4294967294u}) {
    expect_slow_colors(base::ElementType::f32, iterations, values);
  }
}

TEST(Colorizer, NotANumberDoesNotReachOutsideTheTable) {
  const Palette palette = find_palette("ice");
  const float values[] = {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  std::byte rgb[9];
  Colorizer(palette, 100)
      .colorize(reinterpret_cast<const std::byte*>(values), base::ElementType::f32, 3, rgb);
  EXPECT_EQ(std::to_integer<int>(rgb[2]), palette.stops[0].b);
  EXPECT_EQ(std::to_integer<int>(rgb[5]), palette.inside.b);
  EXPECT_EQ(std::to_integer<int>(rgb[8]), palette.stops[0].b);
}

TEST(Colorizer, WritesExactlyThreeBytesAPixelForEveryCount) {
  const Colorizer colorizer(find_palette("ocean"), 1000);
  const std::vector<std::uint16_t> values(1100, 5);
  std::vector<std::byte> one(3);
  colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), base::ElementType::u16, 1,
                     one.data());
  for (std::size_t n = 0; n < values.size(); n += n < 20 || n > 500 ? 1 : 13) {
    std::vector<std::byte> rgb(values.size() * 3 + 16, std::byte{0xAB});
    colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), base::ElementType::u16, n,
                       rgb.data());
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      ASSERT_EQ(rgb[i], i < 3 * n ? one[i % 3] : std::byte{0xAB}) << n << " pixels, byte " << i;
    }
  }
}

TEST(Colorizer, TakesValuesAtAnyAddress) {
  const Colorizer colorizer(find_palette("ember"), 5000);
  std::vector<std::uint32_t> values(700);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(7 * i);
  std::vector<std::byte> moved(values.size() * 4 + 1);
  std::memcpy(moved.data() + 1, values.data(), values.size() * 4);
  std::vector<std::byte> straight(values.size() * 3), odd(values.size() * 3);
  colorizer.colorize(reinterpret_cast<const std::byte*>(values.data()), base::ElementType::u32,
                     values.size(), straight.data());
  colorizer.colorize(moved.data() + 1, base::ElementType::u32, values.size(), odd.data());
  EXPECT_EQ(straight, odd);
}

}  // namespace
}  // namespace tessera::color
