// Blocks rendered by a named device, for the tests of this folder.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "named_device.hpp"

namespace tessera::device {

struct RenderedBlock {
  std::vector<std::byte> iterations;
  std::vector<float> smooth, distance;
  BlockCounts counts;

  /// Bit for bit, all fields.
  bool same_pixels(const RenderedBlock& other) const {
    return iterations == other.iterations && same_bits(smooth, other.smooth) &&
           same_bits(distance, other.distance);
  }

 private:
  static bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
  }
};

struct RenderOptions {
  bool smooth = false;  ///< and distances
  bool shortcuts = true;
  FinishExact finish = nullptr;
};

inline RenderedBlock render_block(const std::string& device_name, const job::ImageSpec& image,
                                  const base::PixelRect& block, const RenderOptions& options = {}) {
  const auto lane = device_named(device_name)
                        .open_lane({.shortcuts = options.shortcuts, .finish = options.finish});
  RenderedBlock result;
  const auto pixels = static_cast<std::size_t>(block.pixels());
  result.iterations.resize(pixels * base::element_bytes(job::iterations_type(image)));
  BlockBuffers out{.iterations = result.iterations.data(), .stride_px = block.width};
  if (options.smooth) {
    result.smooth.resize(pixels);
    result.distance.resize(pixels);
    out.smooth = result.smooth.data();
    out.distance = result.distance.data();
  }
  result.counts = lane->render(image, block, out);
  return result;
}

inline base::PixelRect whole(const job::ImageSpec& image) {
  return {0, 0, image.size_px.width, image.size_px.height};
}

}  // namespace tessera::device
