// Palettes: cyclic colour gradients, built in or read from a file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A built-in palette by name, or a palette file if `name` contains a '/' or ends in ".txt", ".map"
/// or ".gpl" (lines of "R G B" in 0..255 or "#rrggbb"; '#' followed by a blank, and ';', start a
/// comment; GIMP palettes; an optional line "inside R G B"). Throws a usage error with the nearest
/// name if it is unknown, and one naming file and line if a file does not parse.
Palette find_palette(std::string_view name);

/// Colour at `phase` in [0, 1) of the cycle.
Rgb color_at(const Palette& palette, double phase);

}  // namespace tessera::color
