// Maps values to colours by one table over the logarithm of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/element.hpp"
#include "color/palette.hpp"

namespace tessera::color {

/// Colours counts or smooth values. Immutable, so threads can share it.
class Colorizer {
 public:
  /// `iterations` is N: values >= N get the palette's inside colour. The phase of a colour is a
  /// function of log2(value + 1), so that every zoom level shows structure; `cycles_per_octave` is
  /// the number of times that the palette repeats while the value doubles.
  Colorizer(const Palette& palette, std::uint32_t iterations, double cycles_per_octave = 0.35);

  /// `values`: n elements of `type`; `rgb`: n * 3 bytes.
  void colorize(const std::byte* values, base::ElementType type, std::size_t n,
                std::byte* rgb) const;

 private:
  /// 0x00BBGGRR, indexed by the high bits of float(value + 1).
  std::vector<std::uint32_t> table_;
  /// The same, indexed by a 16-bit count; empty for a larger N.
  std::vector<std::uint32_t> by_count_;
  std::uint32_t iterations_;
};

}  // namespace tessera::color
