#include "deep/deep_block.hpp"

#include <algorithm>

#include "deep/deep_pixel.hpp"

namespace tessera::deep {

using kernels::TsDeepPixel;

namespace {

// Neighbours stay together: they often are at the same element of the reference orbit.
constexpr std::int64_t kCellColumns = 4;
constexpr std::int64_t kCellRows = 2;
constexpr std::size_t kPixelsAtOnce = 4096;

/// The indices of a block's pixels, cell by cell.
std::vector<std::uint32_t> cell_order(const base::PixelRect& block) {
  std::vector<std::uint32_t> order;
  order.reserve(static_cast<std::size_t>(block.pixels()));
  for (std::int64_t y = 0; y < block.height; y += kCellRows) {
    for (std::int64_t x = 0; x < block.width; x += kCellColumns) {
      for (std::int64_t row = y; row < std::min(y + kCellRows, block.height); ++row) {
        for (std::int64_t column = x; column < std::min(x + kCellColumns, block.width); ++column) {
          order.push_back(static_cast<std::uint32_t>(row * block.width + column));
        }
      }
    }
  }
  return order;
}

class BlockRenderer {
 public:
  BlockRenderer(const DeepImage& image, const base::PixelRect& block, AdvancePixels advance)
      : image_(image), block_(block), advance_(advance) {
    result_.counts.resize(static_cast<std::size_t>(block.pixels()));
    if (smooth()) result_.smooth.resize(result_.counts.size());
  }

  DeepBlock run() {
    const std::vector<std::uint32_t> order = cell_order(block_);
    const std::span<const std::uint32_t> all(order);
    for (std::size_t at = 0; at < all.size(); at += kPixelsAtOnce) {
      some(all.subspan(at, std::min(kPixelsAtOnce, all.size() - at)));
    }
    return std::move(result_);
  }

 private:
  bool smooth() const { return image_.limits.want_smooth != 0; }
  std::int64_t column(std::uint32_t index) const { return block_.x + index % block_.width; }
  std::int64_t row(std::uint32_t index) const { return block_.y + index / block_.width; }

  void some(std::span<const std::uint32_t> indices) {
    pixels_.clear();
    indices_.clear();
    for (const std::uint32_t index : indices)
      begin(index, start_pixel(image_, column(index), row(index)));
    while (!pixels_.empty()) {
      states_.assign(pixels_.size(), TS_DEEP_SMALL);
      advance_(image_, pixels_, states_);
      continue_small();
    }
  }

  /// Puts a pixel among those to be advanced in f64, unless it is done before.
  void begin(std::uint32_t index, TsDeepPixel pixel) {
    if (scaled_phase(image_, pixel)) {
      pixels_.push_back(pixel);
      indices_.push_back(index);
    } else {
      finish(index, pixel);
    }
  }

  void continue_small() {
    std::vector<TsDeepPixel> pixels;
    std::vector<std::uint32_t> indices;
    pixels.swap(pixels_);
    indices.swap(indices_);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (states_[i] == TS_DEEP_SMALL) {
        begin(indices[i], pixels[i]);
      } else if (states_[i] == TS_DEEP_UNCERTAIN) {
        recompute(indices[i], pixels[i]);
      } else {
        finish(indices[i], pixels[i]);
      }
    }
  }

  void finish(std::uint32_t index, const TsDeepPixel& pixel) {
    result_.executed += pixel.steps + pixel.scaled_steps;
    store(index, {pixel.count, pixel.smooth_m, pixel.smooth_radius2});
  }

  void recompute(std::uint32_t index, const TsDeepPixel& pixel) {
    result_.executed += pixel.steps + pixel.scaled_steps;
    ++result_.recomputed;
    store(index, image_.precise->compute(image_, column(index), row(index)));
  }

  void store(std::uint32_t index, const CountedPixel& pixel) {
    result_.counts[index] = pixel.count;
    if (smooth()) {
      result_.smooth[index] =
          static_cast<float>(smooth_of(image_, pixel.count, pixel.smooth_m, pixel.smooth_radius2));
    }
  }

  const DeepImage& image_;
  base::PixelRect block_;
  AdvancePixels advance_;
  DeepBlock result_;
  std::vector<TsDeepPixel> pixels_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> states_;
};

}  // namespace

void advance_pixels(const DeepImage& image, std::vector<TsDeepPixel>& pixels,
                    std::vector<std::uint32_t>& states) {
  for (std::size_t i = 0; i < pixels.size(); ++i) states[i] = advance_pixel(image, pixels[i]);
}

DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       AdvancePixels advance) {
  return BlockRenderer(image, block, advance).run();
}

}  // namespace tessera::deep
