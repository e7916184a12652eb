#include "device/deep_block.hpp"

#include "deep/deep_pixel.hpp"
#include "deep/prepared.hpp"
#include "device/check_block.hpp"

namespace tessera::device {

namespace {

void store_deep_pixel(const deep::DeepResult& pixel, const job::ImageSpec& image, std::ptrdiff_t at,
                      const BlockBuffers& out) {
  if (job::iterations_type(image) == base::ElementType::u16) {
    reinterpret_cast<std::uint16_t*>(out.iterations)[at] = static_cast<std::uint16_t>(pixel.count);
  } else {
    reinterpret_cast<std::uint32_t*>(out.iterations)[at] = pixel.count;
  }
  if (out.smooth != nullptr) out.smooth[at] = static_cast<float>(pixel.smooth);
}

}  // namespace

deep::Place deep_place(const job::ImageSpec& image, bool smooth) {
  return {.center_re = image.place.center_re,
          .center_im = image.place.center_im,
          .width = image.place.width,
          .size_px = image.size_px,
          .iterations = image.iterations,
          .bailout = image.bailout,
          .smooth = smooth};
}

BlockCounts render_deep_block(const job::ImageSpec& image, const base::PixelRect& block,
                              const BlockBuffers& out) {
  check_request(image, block, out);
  const auto prepared = deep::prepared(deep_place(image, out.smooth != nullptr));
  BlockCounts counts;
  for (std::int64_t row = 0; row < block.height; ++row) {
    for (std::int64_t column = 0; column < block.width; ++column) {
      const deep::DeepResult pixel = deep::deep_pixel(*prepared, block.x + column, block.y + row);
      store_deep_pixel(pixel, image, row * out.stride_px + column, out);
      counts += {.iterations = pixel.count,
                 .executed = pixel.steps + pixel.scaled_steps,
                 .uncertain = pixel.certain ? 0U : 1U};
    }
  }
  return counts;
}

}  // namespace tessera::device
