// sRGB's transfer function (IEC 61966-2-1): colours are mixed in linear light, not as coded.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace tessera::color {

/// Code to light, both in [0, 1].
double to_light(double code);
/// Light to code, both in [0, 1].
double to_code(double light);

/// The bits of the f16 nearest to the light of a 16-bit code.
std::uint16_t half_light(std::uint16_t code);

/// Integer tables of 16-bit codes. Light 2^24 - 1 is white; with so many bits all codes differ in
/// light, so that every code maps back to itself.
class LightTables {
 public:
  LightTables();
  std::uint32_t light(std::uint16_t code) const { return light_[code]; }
  /// The code whose light is nearest; requires light < 2^24.
  std::uint16_t code(std::uint32_t light) const;

 private:
  std::array<std::uint32_t, 65537> light_;  ///< the last one is above all
  std::array<std::uint16_t, 65536> first_;  ///< the largest code with at most that light / 256
};

const LightTables& light_tables();

}  // namespace tessera::color
