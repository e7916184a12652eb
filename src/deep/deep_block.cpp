#include "deep/deep_block.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera::deep {

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
  BlockRenderer(const DeepImage& image, const base::PixelRect& block, const Advance& advance)
      : image_(image), block_(block), advance_(advance) {
    result_.counts.resize(static_cast<std::size_t>(block.pixels()));
    if (smooth()) result_.smooth.resize(result_.counts.size());
  }

  DeepBlock run() {
    std::vector<std::uint32_t> uncertain =
        advance_all(FastTier(image_), cell_order(block_), advance_.fast);
    result_.recomputed = uncertain.size();
    for (std::size_t tier = 0; tier < PreciseTables::kEpsilons.size() && !uncertain.empty();
         ++tier) {
      const PreciseTable& table = image_.precise->table(image_, tier);
      uncertain = advance_all(PreciseTier(image_, table, PreciseTables::kEpsilons[tier]), uncertain,
                              advance_.precise);
    }
    for (const std::uint32_t index : uncertain)
      store(index, pixel_by_definition(image_.place, column(index), row(index)));
    return std::move(result_);
  }

 private:
  bool smooth() const { return image_.limits.want_smooth != 0; }
  std::int64_t column(std::uint32_t index) const { return block_.x + index % block_.width; }
  std::int64_t row(std::uint32_t index) const { return block_.y + index / block_.width; }

  /// Pixels under way, with their indices.
  template <class Tier>
  struct Pixels {
    std::vector<typename Tier::Pixel> all;
    std::vector<std::uint32_t> indices;
  };

  /// Stores the pixels that are certain and returns the others.
  template <class Tier>
  std::vector<std::uint32_t> advance_all(const Tier& tier,
                                         const std::vector<std::uint32_t>& indices,
                                         AdvanceAll<Tier> advance) {
    std::vector<std::uint32_t> uncertain;
    for (std::size_t at = 0; at < indices.size(); at += kPixelsAtOnce) {
      Pixels<Tier> pixels;
      for (const std::uint32_t index :
           std::span(indices).subspan(at, std::min(kPixelsAtOnce, indices.size() - at))) {
        begin(tier, index, start_pixel(tier, column(index), row(index)), pixels);
      }
      while (!pixels.all.empty()) pixels = advance_some(tier, pixels, advance, uncertain);
    }
    return uncertain;
  }

  /// Advances until each is done, uncertain or small, and returns those that were small.
  template <class Tier>
  Pixels<Tier> advance_some(const Tier& tier, Pixels<Tier>& pixels, AdvanceAll<Tier> advance,
                            std::vector<std::uint32_t>& uncertain) {
    std::vector<std::uint32_t> states(pixels.all.size(), TS_DEEP_SMALL);
    advance(tier, pixels.all, states);
    Pixels<Tier> small;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i] == TS_DEEP_SMALL) {
        begin(tier, pixels.indices[i], pixels.all[i], small);
      } else if (states[i] == TS_DEEP_UNCERTAIN) {
        count_steps(pixels.all[i]);
        uncertain.push_back(pixels.indices[i]);
      } else {
        finish(pixels.indices[i], pixels.all[i]);
      }
    }
    return small;
  }

  /// Adds a pixel to those that are advanced within f64's range, unless it is done before.
  template <class Tier>
  void begin(const Tier& tier, std::uint32_t index, typename Tier::Pixel pixel,
             Pixels<Tier>& pixels) {
    if (scaled_phase(tier, pixel)) {
      pixels.all.push_back(pixel);
      pixels.indices.push_back(index);
    } else {
      finish(index, pixel);
    }
  }

  template <class Pixel>
  void finish(std::uint32_t index, const Pixel& pixel) {
    count_steps(pixel);
    store(index, {pixel.count, pixel.smooth_m, pixel.smooth_radius2});
  }

  template <class Pixel>
  void count_steps(const Pixel& pixel) {
    result_.executed += pixel.steps + pixel.scaled_steps;
  }

  void store(std::uint32_t index, const CountedPixel& pixel) {
    result_.counts[index] = pixel.count;
    if (!smooth()) return;
    const double smooth = pixel.count == image_.limits.limit
                              ? pixel.count
                              : kernels::ts_smooth_of(2, pixel.smooth_m, pixel.smooth_radius2);
    result_.smooth[index] = static_cast<float>(smooth);
  }

  const DeepImage& image_;
  base::PixelRect block_;
  const Advance& advance_;
  DeepBlock result_;
};

}  // namespace

DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       const Advance& advance) {
  return BlockRenderer(image, block, advance).run();
}

}  // namespace tessera::deep
