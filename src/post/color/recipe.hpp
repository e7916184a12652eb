// The options that reproduce a picture: written into the PNG, and read from it or from an image.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/color_job.hpp"
#include "job/image/options.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// The job that shows `region` of the image of `job`. The place of the whole image keeps its digits
/// and its view.
job::RenderJob zoom(job::RenderJob job, const base::PixelRect& region);

/// Texts of the PNG that `color` makes of `region`: center, width, size, iterations, ..., each with
/// the name of its option, and the command that renders it. Empty if the image lacks the
/// attributes.
std::vector<std::pair<std::string, std::string>> recipe_text(const store::ImageReader& reader,
                                                             const job::ColorJob& color,
                                                             const base::PixelRect& region);

/// The place of `region` as Kalles Fraktaler keeps it; "" if the image lacks the attributes, or
/// Kalles Fraktaler the formula. With smooth values, the escape radius is theirs.
std::string foreign_place(const store::ImageReader& reader, const job::ColorJob& color,
                          const base::PixelRect& region, bool smooth_values);

/// The options that reproduce the picture or the image in the file. `region` is a rectangle of its
/// pixels: then the options render this part, with as many columns as the whole file has. Throws a
/// missing error if there is no such file, and usage errors that name the file if it lacks its
/// place, or `region_origin` if the region is not within the image.
std::vector<job::Given> recipe_of_file(const std::string& path,
                                       const std::optional<base::PixelRect>& region,
                                       const std::string& region_origin);

}  // namespace tessera::post
