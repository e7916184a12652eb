#pragma once

#include <cmath>
#include <cstdint>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// ln of the potential ln|z_m| / 2^m for a given m; NaN where m is another one.
inline double log_potential(const Place& place, std::uint64_t m, std::int64_t column,
                            std::int64_t row) {
  const CountedPixel pixel = pixel_by_definition(place, column, row);
  return pixel.smooth_m == m ? std::log(std::log(pixel.smooth_radius2)) : std::nan("");
}

}  // namespace tessera::deep
