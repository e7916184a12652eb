// What a picture was made of: written into it, and compared before one that is there is left alone
// or replaced (docs/file-format.md, "The picture").
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "color/palette.hpp"
#include "job/render_job.hpp"

namespace tessera::post {

/// Everything that decides the pixels of a picture.
struct PictureOrigin {
  std::string fingerprint;  ///< of the data (job::fingerprint)
  job::Field field = job::Field::iterations;
  color::Palette palette;  ///< its colours decide, not its name
  base::PixelRect region;
  int scale = 1;
};

/// The picture that `tessera render` makes of its data.
PictureOrigin origin_of(const job::RenderJob& job);

/// The texts of a PNG file made of `source`.
std::vector<std::pair<std::string, std::string>> picture_text(const PictureOrigin& origin,
                                                              const std::string& source);

enum class FoundPicture {
  none,
  right,  ///< has the very pixels that would be made
  ours,   ///< of the same data or of the same file, and of the same part of it, but other pixels
  other   ///< any other file, also a picture that does not say of which part it is
};
FoundPicture find_picture(const std::string& path, const PictureOrigin& origin,
                          const std::string& source);

}  // namespace tessera::post
