// A rectangle of an image: as a picture, as a job file, as a command line.
#pragma once

#include <memory>
#include <string>

#include "base/geometry.hpp"
#include "job/image/color_job.hpp"
#include "view/http/http.hpp"
#include "view/http/target.hpp"
#include "view/image_list.hpp"
#include "view/look.hpp"

namespace tessera::view {

/// The job of `color` for x, y, width, height, scale and the look. Throws HttpError 400.
job::ColorJob region_job(const Target& target, const OpenImage& image, const PaletteFiles& files);

/// The command that renders the rectangle, for a picture called `png`. Throws HttpError 400 if the
/// file lacks the attributes of its place.
std::string region_command(const OpenImage& image, job::ColorJob job, const std::string& png);
/// The same as a job file.
std::string region_toml(const OpenImage& image, job::ColorJob job, const std::string& png);

/// Makes the picture with `color`; it lies in a temporary file without a name. Throws HttpError 503
/// if the server ends, and the errors of `color`.
std::shared_ptr<const LongBody> region_picture(job::ColorJob job, const std::string& name);

}  // namespace tessera::view
