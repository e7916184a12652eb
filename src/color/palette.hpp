// Palettes: cyclic colour gradients, built in or read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "color/pixel.hpp"

namespace tessera::color {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct Palette {
  std::string name;
  std::string description;
  std::vector<Rgb> stops;  ///< at equal distances around the cycle; interpolated in linear light
  Rgb inside;              ///< colour of pixels that did not escape
};

std::span<const Palette> builtin_palettes();

/// The palette of the file `name` if there is such a file, else the built-in palette of that name.
/// docs/pictures.md has the format of the file. Throws a missing error for a `name` that can only
/// be a file's, a usage error with the nearest name if it is unknown, and one naming file and line
/// if a file does not parse.
Palette find_palette(std::string_view name);

Pixel opaque(const Rgb& rgb);

/// Colour at `phase` in [0, 1) of the cycle, as 8 bits hold it.
Rgb color_at(const Palette& palette, double phase);
/// The same with 16 bits a channel.
std::array<std::uint16_t, 3> deep_color_at(const Palette& palette, double phase);

}  // namespace tessera::color
