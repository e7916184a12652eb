// Means of squares of elements.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "browse/open_array.hpp"
#include "browse/plane.hpp"

namespace tessera::browse {

/// What is done with parts of a rectangle and their elements.
using SeenElements = std::function<void(const base::PixelRect&, std::span<const double>)>;

/// The means of the numbers in each square of 2^level x 2^level elements of the rectangle, row by
/// row; NaN where there is none. The rectangle begins at multiples of the side; the last squares
/// may be cut. Calls seen(part, elements) for parts of the rectangle. Throws the errors of reading.
std::vector<double> block_means(const OpenArray& array, const Plane& plane,
                                const base::PixelRect& rect, int level,
                                const SeenElements& seen = {});

}  // namespace tessera::browse
