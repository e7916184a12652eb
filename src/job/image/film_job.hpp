// A job of `tessera film`, which makes a film of the images of a zoom.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

/// The path of one file of a sequence: "zoom.h5", 7 -> "zoom-0007.h5".
std::string numbered_path(const std::string& path, std::int64_t number);

struct FilmJob : RunSpec, Coloring {
  std::string input;         ///< as --output of `render --frames` had it: "zoom.h5"
  std::string output;        ///< "zoom.png" for zoom-0000.png and so on; or a video
  std::string field;         ///< as in ColorJob
  base::ImageSize size_px;   ///< size of the film; 0 = half of that of the images
  double fps = 30;           ///< frames in a second
  double seconds = 0;        ///< length of the film; 0 = it follows from `frames_per_key`
  int frames_per_key = 0;    ///< frames from an image to the next; 0 = those of a second
  double hold_s = 0;         ///< the first and the last image stand still for so long
  double ease_s = 0;         ///< the speed rises and falls for so long
  double palette_turns = 0;  ///< cycles by which the palette moves from the first image to the last
  double light_turns = 0;    ///< the light goes round so often, anticlockwise
  bool overwrite = false;    ///< existing files may be replaced
};

std::span<const Option<FilmJob>> film_options();

/// Applies the options, then checks them together.
void apply_film_options(FilmJob& job, std::span<const Given> given);

/// The job as text, for the report.
std::vector<std::pair<std::string, std::string>> describe(const FilmJob& job);

}  // namespace tessera::job
