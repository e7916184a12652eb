// A smaller picture: factor x factor pixels averaged into one, in linear light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"

namespace tessera::color {

/// Takes the pixels in any order and in pieces of any length, so that its memory is that of the
/// small picture. The sums are whole numbers: neither order nor pieces change a byte. They hold for
/// factors below 2^24. Not for several threads at once.
class BoxAverage {
 public:
  explicit BoxAverage(int factor);

  /// Starts a picture of that size, which is made of size.width * factor by size.height * factor
  /// pixels.
  void begin(base::ImageSize size);
  /// Pixels from column `x` of large row `row` on, 3 bytes each; none beyond the end of the row.
  void add(std::int64_t row, std::int64_t x, std::span<const std::byte> rgb);
  /// Once every pixel was added: the picture, width * height * 3 bytes, rows from the top.
  void finish(std::span<std::byte> out) const;

  /// Bytes that it holds for a picture of that size, without the picture.
  static std::size_t memory_bytes(base::ImageSize size);

 private:
  std::size_t factor_;
  std::size_t row_values_ = 0;       ///< of the small picture
  std::vector<std::uint64_t> sums_;  ///< of light, red, green and blue of each small pixel
};

}  // namespace tessera::color
