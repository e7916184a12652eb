#include "color/palette.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "color/linear_light.hpp"
#include "color/palette_file.hpp"

namespace tessera::color {
namespace {

bool names_a_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".txt") ||
         name.ends_with(".map") || name.ends_with(".gpl");
}

std::uint8_t mix(std::uint8_t from, std::uint8_t to, double share) {
  return to_srgb(std::lerp(to_light(from), to_light(to), share));
}

}  // namespace

Palette find_palette(std::string_view name) {
  if (names_a_file(name)) return read_palette(std::string(name));
  std::vector<std::string> names;
  for (const Palette& palette : builtin_palettes()) {
    if (palette.name == name) return palette;
    names.push_back(palette.name);
  }
  const std::string close = base::nearest(name, names);
  const std::string hint = close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close);
  throw base::usage_error("--palette: there is no palette '{}'{}; there are {}, or a file", name,
                          hint, base::join(names));
}

Rgb color_at(const Palette& palette, double phase) {
  const std::size_t count = palette.stops.size();
  const double position = phase * static_cast<double>(count);
  const std::size_t index = std::min(static_cast<std::size_t>(position), count - 1);
  const double share = position - static_cast<double>(index);
  const Rgb from = palette.stops[index];
  const Rgb to = palette.stops[(index + 1) % count];
  return {mix(from.r, to.r, share), mix(from.g, to.g, share), mix(from.b, to.b, share)};
}

}  // namespace tessera::color
