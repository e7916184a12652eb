#include "device/pixels/deep_block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "base/saturated_sum.hpp"
#include "deep/prepared.hpp"
#include "device/pixels/check_block.hpp"

namespace tessera::device {

namespace {

/// The first bytes of a count are the count in a narrower type: all machines are little-endian.
void store_counts(std::span<const std::uint64_t> counts, std::size_t bytes, std::byte* to) {
  for (const std::uint64_t& count : counts) {
    std::memcpy(to, &count, bytes);
    to += bytes;
  }
}

void store_row(const job::ImageSpec& image, const deep::DeepBlock& block, std::int64_t row,
               std::int64_t width, const BlockBuffers& out) {
  const auto first = static_cast<std::size_t>(row * width);
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t bytes = base::element_bytes(job::iterations_type(image));
  store_counts(std::span(block.counts).subspan(first, columns), bytes,
               out.iterations + row * out.stride_px * static_cast<std::ptrdiff_t>(bytes));
  const auto store = [&](const std::vector<float>& values, float* field) {
    if (field == nullptr) return;
    std::ranges::copy(std::span(values).subspan(first, columns), field + row * out.stride_px);
  };
  store(block.smooth, out.smooth);
  store(block.distance, out.distance);
  store(block.fraction, out.fraction);
  store(block.gradient_x, out.gradient_x);
  store(block.gradient_y, out.gradient_y);
  store(block.phase, out.phase);
}

}  // namespace

deep::Place deep_place(const job::ImageSpec& image, const job::MoreFields& fields) {
  return {.center_re = image.place.center_re,
          .center_im = image.place.center_im,
          .width = image.place.width,
          .size_px = image.size_px,
          .iterations = image.iterations,
          .bailout = image.bailout,
          .exact = image.exact,
          .smooth = fields.finds_m() || fields.phase,
          .distance = fields.derives(),
          .derivative_interior = image.interior == job::Interior::derivative,
          .formula = {image.formula.id, image.formula.degree, image.formula.constant_re_text,
                      image.formula.constant_im_text},
          .matrix = image.matrix};
}

BlockCounts render_deep_block(const job::ImageSpec& image, const base::PixelRect& block,
                              const BlockBuffers& out, const deep::Advance& advance) {
  check_request(image, block, out);
  const auto prepared = deep::prepared(deep_place(image, out.fields()));
  const deep::DeepBlock pixels = deep::render_block(*prepared, block, advance);
  for (std::int64_t row = 0; row < block.height; ++row) {
    store_row(image, pixels, row, block.width, out);
  }
  const auto sum = std::accumulate(pixels.counts.begin(), pixels.counts.end(), std::uint64_t{0},
                                   base::saturated_sum);
  return {.iterations = sum,
          .executed = pixels.executed,
          .uncertain = pixels.uncertain,
          .uncertain_with_more = pixels.with_more_bits,
          .undecided = pixels.undecided};
}

}  // namespace tessera::device
