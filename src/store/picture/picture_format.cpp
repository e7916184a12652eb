#include "store/picture/picture_format.hpp"

#include <algorithm>
#include <array>

#include "store/png/png_picture.hpp"

namespace tessera::store {

namespace {

constexpr std::array<std::string_view, 1> kPngSuffixes = {".png"};

constexpr std::array kFormats = {
    PictureFormat{.name = "PNG",
                  .suffixes = kPngSuffixes,
                  .make_encoder = &png::make_encoder,
                  .encoder_bytes = &png::encoder_bytes,
                  .create = &png::create,
                  .look = &png::look},
};

}  // namespace

std::span<const PictureFormat> picture_formats() {
  return kFormats;
}

const PictureFormat& picture_format_of(std::string_view path) {
  const auto has_suffix = [&](const PictureFormat& format) {
    return std::ranges::any_of(format.suffixes,
                               [&](std::string_view suffix) { return path.ends_with(suffix); });
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
