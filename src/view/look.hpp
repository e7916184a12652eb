// The colours of a picture, from the parameters of a request.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "job/image/color_job.hpp"
#include "view/http/target.hpp"
#include "view/open_image.hpp"

namespace tessera::view {

/// A palette that the command line named.
struct PaletteFile {
  std::string name;  ///< name of the file, without its folder
  std::string path;
};
using PaletteFiles = std::vector<PaletteFile>;

/// Throws the errors of color::read_palette(), and a usage error if two have the same name.
PaletteFiles palette_files(std::span<const std::string> paths);

/// The same, plus the file of --palette if `palette` is one.
PaletteFiles palette_files(std::vector<std::string> paths, const std::string& palette);

/// Changes with the colours of any of them.
std::string colors_of(const PaletteFiles& files);

/// The parameters palette, offset, length, field, inside, distance and light, as options of
/// `color`. The palette is a built-in one or one of `files`: a request reads no other file. Throws
/// HttpError 400.
job::ColorJob look_of(const Target& target, const PaletteFiles& files);

/// The same for an image, with `equalize`: true, false, or as `color` decides it. Throws HttpError
/// 400 for a field that the image lacks.
job::ColorJob look_of(const Target& target, const PaletteFiles& files, const OpenImage& image);

/// Throws HttpError 400 for colours of a field that is not there.
void check_fields(const job::ColorJob& look, const std::function<bool(job::Field)>& has);

}  // namespace tessera::view
