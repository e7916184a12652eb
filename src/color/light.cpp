#include "color/light.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

constexpr std::uint64_t kAllLight = 1U << 16;

float value_at(const std::byte* values, std::size_t i) {
  float value = 0;
  std::memcpy(&value, values + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

Light::Light(double azimuth_deg, double height)
    : right_(std::cos(azimuth_deg * std::numbers::pi / 180)),
      up_(std::sin(azimuth_deg * std::numbers::pi / 180)),
      height_(height) {}

void Light::shade(const std::byte* right, const std::byte* up, std::span<Pixel> pixels) const {
  const LightTables& tables = light_tables();
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const double x = value_at(right, i), y = value_at(up, i);
    const double length = std::sqrt(x * x + y * y);
    if (!(length > 0) || std::isinf(length)) continue;
    const double share = ((x * right_ + y * up_) / length + height_) / (1 + height_);
    const auto part = static_cast<std::uint64_t>(std::lround(std::max(share, 0.0) * kAllLight));
    for (std::size_t channel = 0; channel < 3; ++channel) {
      std::uint16_t& code = pixels[i].channel[channel];
      code = tables.code(static_cast<std::uint32_t>(tables.light(code) * part / kAllLight));
    }
  }
}

}  // namespace tessera::color
