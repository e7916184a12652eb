#include "color/distance_shade.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "color/linear_light.hpp"
#include "color/palette.hpp"

namespace tessera::color {
namespace {

const Pixel kColor = opaque({200, 120, 40});
const Pixel kInside = opaque({10, 20, 30});

Pixel shaded(float distance, double reach = 2, Pixel pixel = kColor) {
  std::vector<Pixel> pixels{pixel};
  DistanceShade(reach, kInside).shade(reinterpret_cast<const std::byte*>(&distance), pixels);
  return pixels.front();
}

TEST(DistanceShade, takes_the_inside_colour_on_the_set_and_none_beyond_its_reach) {
  EXPECT_EQ(shaded(0), kInside);
  EXPECT_EQ(shaded(2), kColor);
  EXPECT_EQ(shaded(1e30f), kColor);
  EXPECT_EQ(shaded(std::numeric_limits<float>::infinity()), kColor);
}

TEST(DistanceShade, mixes_light_in_proportion_to_the_distance) {
  const LightTables& light = light_tables();
  for (const double distance : {0.25, 0.5, 1.0, 1.75}) {
    const Pixel got = shaded(static_cast<float>(distance));
    for (std::size_t i = 0; i < 3; ++i) {
      const double wanted = (distance * light.light(kColor.channel[i]) +
                             (2 - distance) * light.light(kInside.channel[i])) /
                            2;
      EXPECT_NEAR(light.light(got.channel[i]), wanted, 0x1p24 / 65535 * 3) << distance;
    }
    EXPECT_EQ(got.channel[3], kFull);
  }
}

TEST(DistanceShade, never_gets_brighter_towards_a_darker_set) {
  Pixel before = kInside;
  for (float distance = 0; distance < 2.5f; distance += 0.01f) {
    const Pixel pixel = shaded(distance);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(pixel.channel[i], before.channel[i]);
    before = pixel;
  }
}

TEST(DistanceShade, takes_distances_at_any_address) {
  std::vector<std::byte> bytes(1 + 2 * sizeof(float));
  const float distances[] = {0, 5};
  std::memcpy(&bytes[1], distances, sizeof distances);
  std::vector<Pixel> pixels(2, kColor);
  DistanceShade(1, kInside).shade(&bytes[1], pixels);
  EXPECT_EQ(pixels, (std::vector<Pixel>{kInside, kColor}));
}

}  // namespace
}  // namespace tessera::color
