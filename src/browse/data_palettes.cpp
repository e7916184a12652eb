#include "browse/data_palettes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/printable.hpp"
#include "view/http/target.hpp"

namespace tessera::browse {
namespace {

// viridis and magma: S. van der Walt and N. Smith, matplotlib (CC0). cividis: J. R. Nuñez, C. R.
// Anderton and R. S. Renslow, 2018. balance: the red and blue scale of C. Brewer, colorbrewer2.org.
constexpr auto kViridis =
    std::to_array<std::uint32_t>({0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89,
                                  0x35b779, 0x6ece58, 0xb5de2b, 0xfde725});
constexpr auto kMagma =
    std::to_array<std::uint32_t>({0x000004, 0x180f3d, 0x440f76, 0x721f81, 0x9e2f7f, 0xcd4071,
                                  0xf1605d, 0xfd9668, 0xfeca8d, 0xfcfdbf});
constexpr auto kCividis =
    std::to_array<std::uint32_t>({0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678,
                                  0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838});
constexpr auto kBalance =
    std::to_array<std::uint32_t>({0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7,
                                  0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f});
constexpr auto kGray = std::to_array<std::uint32_t>({0x000000, 0xffffff});

constexpr auto kPalettes = std::to_array<DataPalette>({
    {"viridis", "blue, green, yellow; even steps for all eyes", kViridis},
    {"magma", "black, purple, orange, white", kMagma},
    {"cividis", "blue to yellow, for eyes without red or green", kCividis},
    {"balance", "blue, white, red: both sides of a middle", kBalance},
    {"gray", "black to white", kGray},
});

double channel(std::uint32_t color, int shift) {
  return static_cast<double>((color >> shift) & 0xff);
}

}  // namespace

std::span<const DataPalette> data_palettes() {
  return kPalettes;
}

const DataPalette& find_data_palette(std::string_view name) {
  if (name.empty()) return kPalettes.front();
  const auto found = std::ranges::find(kPalettes, name, &DataPalette::name);
  if (found != kPalettes.end()) return *found;
  throw view::HttpError(400, fmt::format("palette: there is no '{}'", base::printable(name)));
}

ColorTable color_table(const DataPalette& palette) {
  ColorTable table{};
  const std::size_t last = palette.stops.size() - 1;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double place =
        static_cast<double>(i) / static_cast<double>(table.size() - 1) * static_cast<double>(last);
    const std::size_t stop = std::min(static_cast<std::size_t>(place), last - 1);
    const double part = place - static_cast<double>(stop);
    for (std::size_t c = 0; c < 3; ++c) {
      const int shift = 16 - 8 * static_cast<int>(c);
      table[i][c] = static_cast<std::uint8_t>(std::lround(std::lerp(
          channel(palette.stops[stop], shift), channel(palette.stops[stop + 1], shift), part)));
    }
  }
  return table;
}

}  // namespace tessera::browse
