// Blocks rendered by a named device, for the tests of this folder.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "named_device.hpp"

namespace tessera::device {

struct RenderedBlock {
  std::vector<std::byte> iterations;
  std::vector<float> smooth;
  BlockCounts counts;

  /// Bit for bit, both fields.
  bool same_pixels(const RenderedBlock& other) const {
    return iterations == other.iterations && smooth.size() == other.smooth.size() &&
           (smooth.empty() ||
            std::memcmp(smooth.data(), other.smooth.data(), smooth.size() * sizeof(float)) == 0);
  }
};

struct RenderOptions {
  bool smooth = false;
  bool shortcuts = true;
};

inline RenderedBlock render_block(const std::string& device_name, const job::ImageSpec& image,
                                  const base::PixelRect& block, const RenderOptions& options = {}) {
  const auto lane = device_named(device_name).open_lane({options.shortcuts});
  RenderedBlock result;
  const auto pixels = static_cast<std::size_t>(block.pixels());
  result.iterations.resize(pixels * base::element_bytes(job::iterations_type(image)));
  if (options.smooth) result.smooth.resize(pixels);
  result.counts = lane->render(
      image, block,
      {result.iterations.data(), options.smooth ? result.smooth.data() : nullptr, block.width});
  return result;
}

inline base::PixelRect whole(const job::ImageSpec& image) {
  return {0, 0, image.size_px.width, image.size_px.height};
}

}  // namespace tessera::device
