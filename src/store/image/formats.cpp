#include "store/image/formats.hpp"

#include <algorithm>
#include <array>

#include "store/image/hdf5/hdf5_image.hpp"

namespace tessera::store {

namespace {

constexpr std::array<std::string_view, 2> kHdf5Suffixes = {".h5", ".hdf5"};

constexpr std::array kFormats = {
    ImageFormat{.name = "HDF5",
                .suffixes = kHdf5Suffixes,
                .create = &hdf5::create,
                .resume = &hdf5::resume,
                .open = &hdf5::open,
                .find = &hdf5::find,
                .logged_tiles = &hdf5::logged_tiles},
};

}  // namespace

std::span<const ImageFormat> image_formats() {
  return kFormats;
}

const ImageFormat& format_of(std::string_view path) {
  constexpr std::string_view kPart = ".part";
  if (path.ends_with(kPart)) path.remove_suffix(kPart.size());
  const auto has_suffix = [&](const ImageFormat& format) {
    return std::ranges::any_of(format.suffixes,
                               [&](std::string_view suffix) { return path.ends_with(suffix); });
  };
  const auto found = std::ranges::find_if(kFormats, has_suffix);
  return found == kFormats.end() ? kFormats.front() : *found;
}

std::unique_ptr<ImageWriter> create_image(const std::string& path, const ImageHeader& header,
                                          base::Replace replace) {
  return format_of(path).create(path, header, replace);
}

std::unique_ptr<ImageWriter> resume_image(const std::string& path, const ImageHeader& header,
                                          Leftover& leftover, base::Replace replace) {
  return format_of(path).resume(path, header, leftover, replace);
}

std::unique_ptr<ImageReader> open_image(const std::string& path) {
  return format_of(path).open(path);
}

FoundImage find_image(const std::string& path, const std::string& fingerprint) {
  return format_of(path).find(path, fingerprint);
}

std::optional<std::int64_t> logged_tiles(const std::string& part) {
  return format_of(part).logged_tiles(part);
}

}  // namespace tessera::store
