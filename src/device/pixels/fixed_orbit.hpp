// Orbits in fixed point with a bound of their errors, for the pixels that 106 bits leave open: the
// counts of a wide image's pixels, faster than by MPFR.
#pragma once

#include <cstdint>
#include <optional>

#include "device/pixels/exact_orbit.hpp"

namespace tessera::device {

/// With as many bits as the count needs, up to 960. Nothing if it stays open, if numbers may leave
/// the range, if the degree is not 2, or in an image with distances.
std::optional<ExactPixel> fixed_orbit(const ExactWork& work, std::int64_t column, std::int64_t row);

}  // namespace tessera::device
