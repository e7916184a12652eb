// sRGB's transfer function (IEC 61966-2-1): colours are mixed in linear light, not in bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::color {

/// Byte to light in [0, 1].
double to_light(std::uint8_t srgb);
/// Light in [0, 1] to the nearest byte.
std::uint8_t to_srgb(double light);

/// Integer tables: light 65535 is white, and every byte maps back to itself.
struct LightTables {
  std::array<std::uint16_t, 256> light;
  std::array<std::uint8_t, 65536> srgb;
};

const LightTables& light_tables();

}  // namespace tessera::color
