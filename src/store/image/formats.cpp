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
                .look = &hdf5::look,
                .logged_tiles = &hdf5::logged_tiles,
                .join = &hdf5::join},
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

void join_parts(const std::string& path, const ImageHeader& header, int parts,
                std::span<const TimingRow> timing, const Attributes& closing,
                base::Replace replace) {
  format_of(path).join(path, header, parts, timing, closing, replace);
}

ImageOnDisk look_at_image(const std::string& path) {
  return format_of(path).look(path);
}

FoundImage compare(const ImageOnDisk& image, const std::string& fingerprint) {
  using State = ImageOnDisk::State;
  using What = FoundImage::What;
  const bool same = image.fingerprint == fingerprint;
  switch (image.state) {
    case State::nothing:
      return {};
    case State::unfinished:
      if (same) return {What::unfinished, image.at, ""};
      return {What::other, image.at, "is what a run for another image left"};
    case State::complete:
    case State::stray:
      if (!same) return {What::other, image.at, "holds another image"};
      if (image.state == State::complete) return {What::complete, image.at, ""};
      return {What::other, image.at, "holds this image unfinished, without .part"};
    case State::foreign:
      return {What::other, image.at, image.detail};
  }
  return {};
}

std::optional<std::int64_t> logged_tiles(const std::string& part) {
  return format_of(part).logged_tiles(part);
}

}  // namespace tessera::store
