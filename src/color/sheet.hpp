// A picture of palettes: a strip and the name of each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "color/palette.hpp"

namespace tessera::color {

struct Sheet {
  base::ImageSize size_px;
  std::vector<std::byte> rgb;  ///< 3 bytes a pixel, top row first
};

/// One cycle of each palette, from left to right, with its inside colour at the right end.
Sheet draw_sheet(std::span<const Palette> palettes);

}  // namespace tessera::color
