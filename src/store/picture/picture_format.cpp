#include "store/picture/picture_format.hpp"

#include <algorithm>
#include <array>

#include "base/foreign_text.hpp"
#include "store/exr/exr_picture.hpp"
#include "store/png/png_picture.hpp"
#include "store/tiff/tiff_picture.hpp"

namespace tessera::store {

namespace {

constexpr std::array<std::string_view, 1> kPngSuffixes = {".png"};
constexpr std::array<std::string_view, 2> kTiffSuffixes = {".tif", ".tiff"};
constexpr std::array<std::string_view, 1> kExrSuffixes = {".exr"};

/// Of a format whose pictures are never resumed.
PictureOnDisk look_by_name(const std::string& /*path*/) {
  return {.exists = true};
}

constexpr std::array kFormats = {
    PictureFormat{.name = "PNG",
                  .suffixes = kPngSuffixes,
                  .make_encoder = &png::make_encoder,
                  .encoder_bytes = &png::encoder_bytes,
                  .create = &png::create,
                  .look = &png::look},
    PictureFormat{.name = "TIFF",
                  .is_for_others = true,
                  .writer_bytes = tiff_picture::kWriterBytes,
                  .suffixes = kTiffSuffixes,
                  .make_encoder = &tiff_picture::make_encoder,
                  .encoder_bytes = &tiff_picture::encoder_bytes,
                  .create = &tiff_picture::create,
                  .look = &look_by_name},
    PictureFormat{.name = "EXR",
                  .has_values = true,
                  .is_for_others = true,
                  .writer_bytes = exr::kWriterBytes,
                  .suffixes = kExrSuffixes,
                  .make_encoder = &exr::make_encoder,
                  .encoder_bytes = &exr::encoder_bytes,
                  .create = &exr::create,
                  .look = &look_by_name},
};

}  // namespace

std::span<const PictureFormat> picture_formats() {
  return kFormats;
}

const PictureFormat& picture_format_of(std::string_view path) {
  const std::string name = base::lower(path);
  const auto has_suffix = [&](const PictureFormat& format) {
    return std::ranges::any_of(format.suffixes,
                               [&](std::string_view suffix) { return name.ends_with(suffix); });
  };
  const auto found = std::ranges::find_if(kFormats, has_suffix);
  return found == kFormats.end() ? kFormats.front() : *found;
}

PictureOnDisk look_at_picture(const std::string& path) {
  if (path.empty() || !base::exists(path)) return {};
  if (!base::is_regular(path)) return {.exists = true};
  return picture_format_of(path).look(path);
}

}  // namespace tessera::store
