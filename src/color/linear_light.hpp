// sRGB's transfer function (IEC 61966-2-1): light is mixed linearly, bytes are not light.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::color {

/// Byte to light in [0, 1].
double to_light(std::uint8_t srgb);
/// Light in [0, 1] to the nearest byte.
std::uint8_t to_srgb(double light);

/// The same in whole steps of light: 65535 is white, and every byte comes back as itself.
struct LightTables {
  std::array<std::uint16_t, 256> light;
  std::array<std::uint8_t, 65536> srgb;
};

const LightTables& light_tables();

}  // namespace tessera::color
