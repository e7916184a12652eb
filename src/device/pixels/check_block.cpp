#include "device/pixels/check_block.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera::device {

bool needs_care(const job::ImageSpec& image) {
  constexpr double kSmoothRadius = 256;  // looks every 16 steps go by this too
  constexpr double kLargestBailout = 1e75;
  const double tested = std::min(image.bailout, kSmoothRadius);
  return !(tested >= job::escape_radius(image.formula) && image.bailout <= kLargestBailout);
}

void check_request(const job::ImageSpec& image, const base::PixelRect& block,
                   const BlockBuffers& out) {
  const bool inside = block.x >= 0 && block.y >= 0 && block.width > 0 && block.height > 0 &&
                      block.width <= image.size_px.width - block.x &&
                      block.height <= image.size_px.height - block.y;
  if (!inside) {
    throw base::usage_error("block {}x{} at ({}, {}) is not within the image of {}x{} pixels",
                            block.width, block.height, block.x, block.y, image.size_px.width,
                            image.size_px.height);
  }
  if (out.iterations == nullptr || out.stride_px < block.width) {
    throw base::usage_error("block of {} columns does not fit a buffer of {}", block.width,
                            out.iterations == nullptr ? 0 : out.stride_px);
  }
  if (image.iterations == 0) throw base::usage_error("iterations: 0 leaves nothing to compute");
  const double least = job::escape_radius(image.formula);
  if (out.fields().any() && !(image.bailout >= least)) {
    throw base::usage_error("bailout: smooth or distance needs at least {}, not {}", least,
                            image.bailout);
  }
}

}  // namespace tessera::device
