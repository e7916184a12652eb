// Pixel coordinates: 64-bit, because a side may have 2^31 - 1 pixels and an image far more.
#pragma once

#include <cstdint>

namespace tessera::base {

struct ImageSize {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t pixels() const { return width * height; }
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// Columns [x, x + width), rows [y, y + height); row 0 is the top of the image.
struct PixelRect {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t pixels() const { return width * height; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

}  // namespace tessera::base
