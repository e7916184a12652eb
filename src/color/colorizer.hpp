// Values to colours through one table over the logarithm of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/element.hpp"
#include "color/palette.hpp"

namespace tessera::color {

/// Colours counts or smooth values; immutable, shared by threads.
class Colorizer {
 public:
  /// `iterations` is N: values >= N take the palette's inside colour. The colour's phase is a
  /// function of log2(value + 1), so that every zoom level shows structure; `cycles_per_octave`
  /// says how often the palette repeats while the value doubles.
  Colorizer(const Palette& palette, std::uint32_t iterations, double cycles_per_octave = 0.35);

  /// `values`: n elements of `type`; `rgb`: n * 3 bytes.
  void colorize(const std::byte* values, base::ElementType type, std::size_t n,
                std::byte* rgb) const;

 private:
  std::vector<std::uint32_t> table_;     ///< 0x00BBGGRR by the high bits of float(value + 1)
  std::vector<std::uint32_t> by_count_;  ///< the same by a 16-bit count; empty for a larger N
  std::uint32_t iterations_;
};

}  // namespace tessera::color
