// Blocks rendered by a named device, for the tests of this folder.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "named_device.hpp"

namespace tessera::device {

struct RenderedBlock : job::PerField<std::vector<float>> {
  std::vector<std::byte> iterations;
  BlockCounts counts;

  /// Bit for bit, all fields.
  bool same_pixels(const RenderedBlock& other) const {
    return iterations == other.iterations &&
           std::ranges::all_of(job::kMoreFields, [&](job::Field field) {
             return same_bits((*this)[field], other[field]);
           });
  }

 private:
  static bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
  }
};

/// Where a lane puts the fields that `block` has, from pixel `first` on.
inline BlockBuffers buffers_of(RenderedBlock& block, std::int64_t stride_px, std::size_t first = 0,
                               std::size_t count_bytes = 0) {
  BlockBuffers out{.iterations = block.iterations.data() + first * count_bytes,
                   .stride_px = stride_px};
  for (const job::Field field : job::kMoreFields) {
    if (block[field].empty()) continue;
    out.set(field, reinterpret_cast<std::byte*>(block[field].data() + first));
  }
  return out;
}

struct RenderOptions {
  bool smooth = false;  ///< and `fields` beside it
  bool shortcuts = true;
  FinishExact finish = nullptr;
  std::span<const job::Field> fields = job::kMoreFields;
};

inline RenderedBlock render_block(const std::string& device_name, const job::ImageSpec& image,
                                  const base::PixelRect& block, const RenderOptions& options = {}) {
  const auto lane = device_named(device_name)
                        .open_lane({.shortcuts = options.shortcuts, .finish = options.finish});
  RenderedBlock result;
  const auto pixels = static_cast<std::size_t>(block.pixels());
  result.iterations.resize(pixels * base::element_bytes(job::iterations_type(image)));
  for (const job::Field field : options.fields) {
    if (options.smooth) result[field].resize(pixels);
  }
  result.counts = lane->render(image, block, buffers_of(result, block.width));
  return result;
}

inline base::PixelRect whole(const job::ImageSpec& image) {
  return {0, 0, image.size_px.width, image.size_px.height};
}

}  // namespace tessera::device
