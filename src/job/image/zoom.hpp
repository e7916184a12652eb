// The images of a zoom: render --frames.
#pragma once

#include <string_view>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"
#include "plane/matrix.hpp"

namespace tessera::job {

/// log10 of the width of the first image.
double first_width_log10(const RenderJob& job);

/// The matrix of the image that is so many before the last one.
plane::Matrix matrix_before(const RenderJob& film, int images);

/// The most degrees, up to 90, by which an image may be turned against the one before it, so that
/// films of that size show nothing beyond the images: on the way, a film that is narrower by
/// zoom^-t is turned by t times as much.
double largest_turn(const base::ImageSize& image, const base::ImageSize& film, double zoom);

/// Throws a usage error that begins with `what` for a larger turn.
void check_turn(double turn_deg, const base::ImageSize& image, const base::ImageSize& film,
                double zoom, std::string_view what);

}  // namespace tessera::job
