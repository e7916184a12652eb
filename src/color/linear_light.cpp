#include "color/linear_light.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::color {

double to_light(std::uint8_t srgb) {
  const double x = srgb / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

std::uint8_t to_srgb(double light) {
  const double x = std::clamp(light, 0.0, 1.0);
  const double y = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * y));
}

const LightTables& light_tables() {
  static const LightTables kTables = [] {
    LightTables tables;
    for (std::size_t i = 0; i < tables.light.size(); ++i) {
      const double light = to_light(static_cast<std::uint8_t>(i));
      tables.light[i] = static_cast<std::uint16_t>(std::lround(65535 * light));
    }
    for (std::size_t i = 0; i < tables.srgb.size(); ++i) {
      tables.srgb[i] = to_srgb(static_cast<double>(i) / 65535);
    }
    return tables;
  }();
  return kTables;
}

}  // namespace tessera::color
