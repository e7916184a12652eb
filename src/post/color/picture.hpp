// The origin of a picture. It is stored in the picture. A run compares it to decide whether it
// keeps or replaces an existing picture (docs/file-format.md, "The picture").
#pragma once

#include <string>

#include "base/geometry.hpp"
#include "color/palette.hpp"
#include "job/image/render_job.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// Everything that determines the pixels of a picture.
struct PictureOrigin {
  std::string fingerprint;  ///< fingerprint of the data (job::fingerprint)
  job::Field field = job::Field::iterations;
  color::Palette palette;  ///< compared by its colours, not by its name
  job::Coloring coloring;  ///< its palette and inside colour are those of `palette`
  base::PixelRect region;
  int scale = 1;
  bool complete = true;  ///< else tiles were missing
};

/// The palette with the inside colour that the job asks for. Throws usage errors and missing
/// errors that name the option or the file.
color::Palette palette_of(const job::Coloring& coloring);

/// The same for the same colours.
std::string hash_of(const color::Palette& palette);

/// The origin of the picture that `tessera render` makes.
PictureOrigin origin_of(const job::RenderJob& job);

/// The texts of a picture that is made from the file `source`; "" if that file is removed.
store::PictureTexts picture_text(const PictureOrigin& origin, const std::string& source);

enum class FoundPicture {
  none,
  right,  ///< has exactly the requested pixels
  ours,   ///< the same data or the same file, and the same region, but different pixels
  other   ///< any other file, including a picture that does not state its region
};

FoundPicture compare(const store::PictureOnDisk& picture, const PictureOrigin& origin,
                     const std::string& source);

/// As the picture of the job, job.png.
FoundPicture compare(const store::PictureOnDisk& picture, const job::RenderJob& job);

}  // namespace tessera::post
