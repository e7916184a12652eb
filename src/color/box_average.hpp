// Shrinks a picture: averages factor x factor pixels into one, in linear light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "color/pixel.hpp"

namespace tessera::color {

/// Takes the pixels in any order and in pieces of any length, so it needs only the small picture's
/// memory. The sums are integers, so neither order nor pieces change a bit. They do not overflow
/// for factors up to 2^20. Pixels are opaque, or transparent and left out of the average; alpha is
/// the share of opaque pixels. Not thread-safe.
class BoxAverage {
 public:
  explicit BoxAverage(int factor);

  /// Starts a picture of that size, made of size.width * factor by size.height * factor pixels.
  void begin(base::ImageSize size);
  /// Adds pixels from column `x` of row `row` of the large picture, within the row.
  void add(std::int64_t row, std::int64_t x, std::span<const Pixel> pixels);
  /// Writes a row of the picture once every pixel of it was added.
  void finish(std::int64_t row, std::span<Pixel> out) const;

  /// Memory for a picture of that size, in bytes.
  static std::size_t memory_bytes(base::ImageSize size);

 private:
  struct Sums {
    std::uint64_t r = 0, g = 0, b = 0;  ///< sums of light
    std::uint64_t opaque = 0;           ///< pixels
  };
  std::size_t factor_;
  std::size_t width_ = 0;   ///< width of the small picture
  std::vector<Sums> sums_;  ///< sums of each small pixel
};

}  // namespace tessera::color
