// Checks how deep a zoom f64 can resolve.
#pragma once

#include <string>

#include "job/render_job.hpp"

namespace tessera::job {

/// True if any two neighbouring pixels have different coordinates in f64. Coordinates are rounded
/// once (docs/numerics.md), so this holds if the step between pixels is larger than the spacing of
/// f64 at the image's largest coordinate. A step equal to that spacing can meet ties, which round
/// to even in pairs.
bool distinguishes_pixels(const ImageSpec& image);

/// A width that suffices for distinguishes_pixels() with this centre and size, as text with two
/// digits; at most a few per cent above the smallest such width.
std::string least_width(ImageSpec image);

/// The centre that the job has, if digits of the one that was given are beyond f64; "" otherwise.
std::string rounded_center(const RenderJob& job);

}  // namespace tessera::job
