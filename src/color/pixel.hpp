// A pixel between colouring and the PNG: 16 bits a channel.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::color {

inline constexpr std::uint16_t kFull = 65535;

/// Red, green, blue (coded by sRGB) and alpha. A byte b of 8-bit sRGB is 257 * b. Pixels that are
/// not rendered yet are all 0: transparent.
struct Pixel {
  std::array<std::uint16_t, 4> channel{};
  friend bool operator==(const Pixel&, const Pixel&) = default;
};

}  // namespace tessera::color
