// A place of a fractal, as programs keep it in files and people write it in posts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/options.hpp"
#include "job/image/render_job.hpp"
#include "plane/matrix.hpp"

namespace tessera::place {

struct Place {
  std::string format;  ///< of the file: "Kalles Fraktaler (.kfr)"
  std::string entry;   ///< its name among several of the file, or ""
  std::string formula = "mandelbrot";
  std::string center_re = "0", center_im = "0";  ///< decimals, with all digits of the file
  /// Decimals. What is shown: the height of the picture, its width, or a box that it contains.
  std::string height, width;
  std::string iterations;               ///< "" = the file does not say
  std::string bailout;                  ///< R; "" = the file does not say
  std::optional<base::ImageSize> size;  ///< of the picture
  plane::Matrix matrix;
  std::string zoom;         ///< 4 / height as the file has it, or ""
  std::string given_width;  ///< of a picture of `size`, as the file has it, or ""
  /// Sentences about what was assumed.
  std::vector<std::string> notes;
  /// Parts of the file that no option has, such as "colours".
  std::vector<std::string> left_out;
};

/// Width of a picture of the place that has so many pixels.
std::string width_of(const Place& place, base::ImageSize size_px);
/// The height of that picture.
std::string height_of(const Place& place, base::ImageSize size_px);

/// The options that render it with this size; those of the centre have as many places as the width
/// needs. `origin` begins the messages about them. Adds a note for zeros that the centre lacked.
std::vector<job::Given> options_of(Place& place, base::ImageSize size_px,
                                   const std::string& origin);

/// The place of an image.
Place place_of(const job::RenderJob& job);

/// What was understood, and what was not, in one line.
std::string summary_of(const Place& place);

}  // namespace tessera::place
