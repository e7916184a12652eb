// How deep a zoom 64-bit floats can carry.
#pragma once

#include "job/render_job.hpp"

namespace tessera::job {

/// Whether any two neighbouring pixels get different coordinates in f64. Coordinates are rounded
/// once (docs/numerics.md), so that is sure when the step between pixels is larger than the
/// spacing of f64 at the largest coordinate of the image; a step equal to it can meet ties, which
/// round to even in pairs.
bool distinguishes_pixels(const ImageSpec& image);

/// A width that is enough for distinguishes_pixels() with this centre and size, as short text in
/// two digits; at most a few per cent above the least such width.
std::string least_width(ImageSpec image);

}  // namespace tessera::job
