#include "color/light.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "color/linear_light.hpp"
#include "color/palette.hpp"

namespace tessera::color {
namespace {

const Pixel kLit = opaque({200, 120, 40});

Pixel lit(const Light& light, float right, float up) {
  std::array<Pixel, 1> pixels{kLit};
  light.shade(reinterpret_cast<const std::byte*>(&right), reinterpret_cast<const std::byte*>(&up),
              pixels);
  return pixels.front();
}

TEST(Light, is_brightest_where_slopes_face_it_and_dark_behind) {
  const Light above(90, 0.5);
  EXPECT_EQ(lit(above, 0, 7), kLit);
  EXPECT_EQ(lit(above, 0, 1e-30F), kLit) << "the length does not matter";
  EXPECT_EQ(lit(above, 0, -1), opaque({0, 0, 0}));
}

TEST(Light, falls_with_the_angle) {
  const LightTables& tables = light_tables();
  for (const double height : {0.0, 0.5, 2.0}) {
    const Pixel got = lit(Light(0, height), 3, 4);
    for (std::size_t i = 0; i < 3; ++i) {
      const double wanted = tables.light(kLit.channel[i]) * (0.6 + height) / (1 + height);
      EXPECT_NEAR(tables.light(got.channel[i]), wanted, 0x1p24 / 65535 * 3) << height;
    }
    EXPECT_EQ(got.channel[3], kLit.channel[3]);
  }
}

TEST(Light, leaves_pixels_without_a_slope) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Light light(45, 0);
  EXPECT_EQ(lit(light, 0, 0), kLit);
  EXPECT_EQ(lit(light, -kInfinity, 1), kLit);
  EXPECT_EQ(lit(light, kNan, -1), kLit);
}

}  // namespace
}  // namespace tessera::color
