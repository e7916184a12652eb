// A pixel by its definition with more bits than a deep image allows it.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"

namespace tessera::deep {

/// pixel_by_definition() with at least so many bits where the count stays open.
DefinedPixel pixel_with_bits(const Place& place, std::int64_t column, std::int64_t row,
                             std::int64_t most_bits);

}  // namespace tessera::deep
