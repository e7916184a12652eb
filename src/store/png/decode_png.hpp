// Reads the pixels of a small PNG file in memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/geometry.hpp"

namespace tessera::store {

/// 8-bit RGBA, sRGB.
struct PngPixels {
  base::ImageSize size_px;
  std::vector<std::uint8_t> rgba;
};

/// Throws a run error with libpng's words.
PngPixels decode_png(std::string_view file);

}  // namespace tessera::store
