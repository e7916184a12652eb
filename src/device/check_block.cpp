#include "device/check_block.hpp"

#include "base/error.hpp"

namespace tessera::device {

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
  if (out.smooth != nullptr && !(image.bailout >= 2)) {
    throw base::usage_error("bailout: smooth needs at least 2, not {}", image.bailout);
  }
}

}  // namespace tessera::device
