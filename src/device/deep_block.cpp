#include "device/deep_block.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "deep/prepared.hpp"
#include "device/check_block.hpp"

namespace tessera::device {

namespace {

template <class Count>
void store_counts(std::span<const std::uint32_t> counts, std::byte* to) {
  std::ranges::transform(counts, reinterpret_cast<Count*>(to),
                         [](std::uint32_t count) { return static_cast<Count>(count); });
}

void store_row(const job::ImageSpec& image, const deep::DeepBlock& block, std::int64_t row,
               std::int64_t width, const BlockBuffers& out) {
  const auto first = static_cast<std::size_t>(row * width);
  const auto columns = static_cast<std::size_t>(width);
  const base::ElementType type = job::iterations_type(image);
  std::byte* const to =
      out.iterations + row * out.stride_px * static_cast<std::ptrdiff_t>(base::element_bytes(type));
  const auto counts = std::span(block.counts).subspan(first, columns);
  type == base::ElementType::u16 ? store_counts<std::uint16_t>(counts, to)
                                 : store_counts<std::uint32_t>(counts, to);
  if (out.smooth == nullptr) return;
  std::ranges::copy(std::span(block.smooth).subspan(first, columns),
                    out.smooth + row * out.stride_px);
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
                              const BlockBuffers& out, const deep::Advance& advance) {
  check_request(image, block, out);
  const auto prepared = deep::prepared(deep_place(image, out.smooth != nullptr));
  const deep::DeepBlock pixels = deep::render_block(*prepared, block, advance);
  for (std::int64_t row = 0; row < block.height; ++row) {
    store_row(image, pixels, row, block.width, out);
  }
  const auto sum = std::accumulate(pixels.counts.begin(), pixels.counts.end(), std::uint64_t{0});
  return {.iterations = sum, .executed = pixels.executed, .recomputed = pixels.recomputed};
}

}  // namespace tessera::device
