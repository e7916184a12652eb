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
  std::vector<Rgb> stops;  ///< at equal distances round the cycle; interpolated in linear light
  Rgb inside;              ///< of pixels that were not seen to escape
};

std::span<const Palette> builtin_palettes();

/// A built-in palette by name, or a palette file when `name` holds a '/' or ends in ".txt", ".map"
/// or ".gpl" (lines of "R G B" in 0..255 or "#rrggbb"; '#' followed by blank and ';' start a
/// comment; GIMP palettes; an optional line "inside R G B"). Usage error with the nearest name for
/// one that is unknown, naming file and line for a file that does not parse.
Palette find_palette(std::string_view name);

/// Colour at `phase` in [0, 1) of the cycle.
Rgb color_at(const Palette& palette, double phase);

}  // namespace tessera::color
