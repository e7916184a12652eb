#include "color/palette.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "color/linear_light.hpp"
#include "color/palette_file.hpp"

namespace tessera::color {
namespace {

/// Whether a name can only be a file's.
bool names_a_file(std::string_view name) {
  return name.find_first_of("/.") != std::string_view::npos;
}

/// The code of a mixture in linear light, in [0, 1].
double mix(std::uint8_t from, std::uint8_t to, double share) {
  return to_code(std::lerp(to_light(from / 255.0), to_light(to / 255.0), share));
}

/// The codes of red, green and blue in [0, 1].
std::array<double, 3> mixed_at(const Palette& palette, double phase) {
  const std::size_t count = palette.stops.size();
  const double position = phase * static_cast<double>(count);
  const std::size_t index = std::min(static_cast<std::size_t>(position), count - 1);
  const double share = position - static_cast<double>(index);
  const Rgb from = palette.stops[index];
  const Rgb to = palette.stops[(index + 1) % count];
  return {mix(from.r, to.r, share), mix(from.g, to.g, share), mix(from.b, to.b, share)};
}

}  // namespace

Palette find_palette(std::string_view name) {
  std::error_code unknown;
  const bool file = std::filesystem::is_regular_file(name, unknown);
  if (file || names_a_file(name)) return read_palette(std::string(name));
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

Pixel opaque(const Rgb& rgb) {
  const auto wide = [](std::uint8_t byte) { return static_cast<std::uint16_t>(257 * byte); };
  return {{wide(rgb.r), wide(rgb.g), wide(rgb.b), kFull}};
}

Rgb color_at(const Palette& palette, double phase) {
  const auto mixed = mixed_at(palette, phase);
  const auto byte = [](double code) { return static_cast<std::uint8_t>(std::lround(255 * code)); };
  return {byte(mixed[0]), byte(mixed[1]), byte(mixed[2])};
}

std::array<std::uint16_t, 3> deep_color_at(const Palette& palette, double phase) {
  const auto mixed = mixed_at(palette, phase);
  const auto word = [](double code) {
    return static_cast<std::uint16_t>(std::lround(65535 * code));
  };
  return {word(mixed[0]), word(mixed[1]), word(mixed[2])};
}

}  // namespace tessera::color
