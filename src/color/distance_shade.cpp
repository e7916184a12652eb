#include "color/distance_shade.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

constexpr std::uint64_t kWhole = 1U << 16;

/// `share` of kWhole of the one colour's light, and the rest of the other's.
Pixel mixed(const LightTables& tables, Pixel pixel, std::uint64_t share, const Pixel& other) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t light =
        share * tables.light(pixel.channel[i]) + (kWhole - share) * tables.light(other.channel[i]);
    pixel.channel[i] = tables.code(static_cast<std::uint32_t>(light / kWhole));
  }
  return pixel;
}

}  // namespace

void DistanceShade::shade(const std::byte* distances, std::span<Pixel> pixels) const {
  const LightTables& tables = light_tables();
  for (Pixel& pixel : pixels) {
    float distance = 0;
    std::memcpy(&distance, distances, sizeof distance);
    distances += sizeof distance;
    if (!(distance < reach_)) continue;
    const long share = std::lround(static_cast<double>(kWhole) * (distance / reach_));
    pixel = mixed(tables, pixel, static_cast<std::uint64_t>(share), inside_);
  }
}

}  // namespace tessera::color
