// Colours of numbers: palettes that go from low to high, or from both sides of a middle.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::browse {

struct DataPalette {
  std::string_view name;
  std::string_view description;
  std::span<const std::uint32_t> stops;  ///< 0xrrggbb, at equal distances from low to high
};

std::span<const DataPalette> data_palettes();

/// Throws HttpError 400 if there is none of that name; "" is the first one.
const DataPalette& find_data_palette(std::string_view name);

/// Red, green and blue of equal steps from low to high.
using ColorTable = std::array<std::array<std::uint8_t, 3>, 256>;
ColorTable color_table(const DataPalette& palette);

}  // namespace tessera::browse
