#include "color/linear_light.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::color {

double to_light(double code) {
  return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4);
}

double to_code(double light) {
  const double x = std::clamp(light, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

namespace {

/// The bits of the f16 nearest to x, from 0 to 1; ties to even.
std::uint16_t half_of(double x) {
  constexpr int kFractionBits = 10;
  constexpr int kLeastExponent = -14;  // below, f16 are as far apart as there
  const int exponent = x > 0 ? std::max(std::ilogb(x), kLeastExponent) : kLeastExponent;
  const auto units = std::llrint(std::ldexp(x, kFractionBits - exponent));
  return static_cast<std::uint16_t>(((exponent - kLeastExponent) << kFractionBits) + units);
}

}  // namespace

std::uint16_t half_light(std::uint16_t code) {
  static const auto table = [] {
    std::vector<std::uint16_t> halves(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) {
      halves[i] = half_of(to_light(static_cast<double>(i) / 65535));
    }
    return halves;
  }();
  return table[code];
}

LightTables::LightTables() {
  for (std::size_t i = 0; i < light_.size() - 1; ++i) {
    const double light = to_light(static_cast<double>(i) / 65535);
    light_[i] = static_cast<std::uint32_t>(std::lround(0xFFFFFF * light));
  }
  light_.back() = 1U << 26;
  std::uint16_t code = 0;
  for (std::uint32_t i = 0; i < first_.size(); ++i) {
    while (light_[code + 1U] <= i << 8) ++code;
    first_[i] = code;
  }
}

std::uint16_t LightTables::code(std::uint32_t light) const {
  std::uint32_t code = first_[light >> 8];
  const auto is_below = [&] { return light_[code] + light_[code + 1] <= 2 * light; };
  code += is_below() ? 1 : 0;  // cannot be predicted; few codes need more steps
  while (is_below()) ++code;
  return static_cast<std::uint16_t>(code);
}

const LightTables& light_tables() {
  static const auto tables = std::make_unique<const LightTables>();
  return *tables;
}

}  // namespace tessera::color
