// Defaults that depend on other options: the width of a view, the fields of a picture.
#pragma once

#include <functional>
#include <string_view>

#include "job/image/render_job.hpp"

namespace tessera::job {

/// `given` tells whether an option was given. Fits the width of a view, or of the whole set, to the
/// shape of the image; decides open iterations by the width; clears `view` if other options changed
/// the place. A job with a picture gets smooth values, if its bailout allows them, and supersamples
/// a picture alone, if f64 resolves that; colours are equalized beyond f64. Multiplies the size of
/// the image by `supersample`.
void set_defaults(RenderJob& job, const std::function<bool(std::string_view)>& given);

}  // namespace tessera::job
