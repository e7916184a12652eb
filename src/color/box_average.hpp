// Shrinks a picture: averages factor x factor pixels into one, in linear light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"

namespace tessera::color {

/// Takes the pixels in any order and in pieces of any length, so it needs only the small picture's
/// memory. The sums are integers, so neither order nor pieces change a byte. They do not overflow
/// for factors below 2^24. Not thread-safe.
class BoxAverage {
 public:
  explicit BoxAverage(int factor);

  /// Starts a picture of that size, made of size.width * factor by size.height * factor pixels.
  void begin(base::ImageSize size);
  /// Adds pixels from column `x` of row `row` of the large picture, 3 bytes each, within the row.
  void add(std::int64_t row, std::int64_t x, std::span<const std::byte> rgb);
  /// Writes the picture once every pixel was added: width * height * 3 bytes, top row first.
  void finish(std::span<std::byte> out) const;

  /// Memory for a picture of that size, without the picture, in bytes.
  static std::size_t memory_bytes(base::ImageSize size);

 private:
  std::size_t factor_;
  std::size_t row_values_ = 0;       ///< of the small picture
  std::vector<std::uint64_t> sums_;  ///< sums of light: red, green and blue of each small pixel
};

}  // namespace tessera::color
