#include "deep/deep_block.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "deep/all_cores.hpp"
#include "deep/definition.hpp"

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
  /// All pixels of a block, or those in `places`, by their indices row by row.
  BlockRenderer(const DeepImage& image, const base::PixelRect& block, const Advance& advance,
                std::span<const std::uint32_t> places = {})
      : image_(image), block_(block), advance_(advance), places_(places) {
    result_.counts.resize(places.empty() ? static_cast<std::size_t>(block.pixels())
                                         : places.size());
    if (image.place.smooth) {
      for (auto* values : {&result_.smooth, &result_.fraction, &result_.phase}) {
        values->resize(result_.counts.size());
      }
    }
    if (image.place.distance) {
      for (auto* values : {&result_.distance, &result_.gradient_x, &result_.gradient_y}) {
        values->resize(result_.counts.size());
      }
    }
  }

  DeepBlock run() {
    std::vector<std::uint32_t> uncertain =
        advance_all(FastTier(image_), cell_order(block_), advance_.fast);
    if (!image_.place.exact) {
      std::ranges::sort(uncertain);
      uncertain.erase(std::unique(uncertain.begin(), uncertain.end()), uncertain.end());
    }
    result_.uncertain = uncertain.size();
    if (image_.place.exact) compute_again(std::move(uncertain), {});
    return std::move(result_);
  }

  /// Computes pixels again that are uncertain in f64. Another device has found them.
  DeepBlock recompute(const PreciseDevice& device) {
    std::vector<std::uint32_t> all(places_.size());
    std::iota(all.begin(), all.end(), 0U);
    result_.uncertain = all.size();
    if (image_.place.exact) {
      compute_again(std::move(all), device);
    } else {
      advance_all(FastTier(image_), all, advance_.fast);
    }
    return std::move(result_);
  }

 private:
  void compute_again(std::vector<std::uint32_t> uncertain, const PreciseDevice& device) {
    // Without jumps, the tiers differ in their bounds alone.
    std::size_t tier = image_.limits.jumps != 0 ? 0 : kernels::kPreciseTiers - 1;
    for (; tier < kernels::kPreciseTiers && !uncertain.empty(); ++tier) {
      const PreciseTable& table = image_.precise->table(image_);
      if (device.precise && take(device.precise(table, tier, places(uncertain)), uncertain)) {
        continue;
      }
      uncertain = advance_all(PreciseTier(image_, table, tier), uncertain, advance_.precise);
    }
    result_.with_more_bits = uncertain.size();
    if (!uncertain.empty() && WideTier::renders(image_)) count_wide(device, uncertain);
    for (const std::uint32_t index : uncertain) {
      const DefinedPixel pixel = pixel_with_bits(image_.place, column(index), row(index), 0);
      store(index, pixel.value);
      result_.undecided += pixel.certain ? 0 : 1;
    }
  }

  /// Leaves those pixels that stay uncertain.
  void count_wide(const PreciseDevice& device, std::vector<std::uint32_t>& uncertain) {
    const WideTier* const wide = image_.precise->wide(image_);
    if (wide == nullptr) return;
    if (device.wide && take(device.wide(*wide, places(uncertain)), uncertain)) return;
    std::vector<WideTier::Counted> counted(uncertain.size());
    // The cores of a GPU have nothing else to do.
    const std::size_t least = device.wide ? 1 : counted.size();
    on_all_cores(counted.size(), least, [&](std::size_t i) {
      counted[i] = wide->count(image_, column(uncertain[i]), row(uncertain[i]));
    });
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      result_.executed += counted[i].steps;
      counted[i].pixel ? store(uncertain[i], *counted[i].pixel) : left.push_back(uncertain[i]);
    }
    uncertain = std::move(left);
  }

  std::vector<std::uint32_t> places(const std::vector<std::uint32_t>& indices) const {
    std::vector<std::uint32_t> all;
    all.reserve(indices.size());
    for (const std::uint32_t index : indices) all.push_back(place(index));
    return all;
  }

  /// Takes what a device has of these pixels, and leaves those that stay uncertain. False, with the
  /// same pixels, if the cores have to advance them.
  bool take(const PreciseDevice::Results& results, std::vector<std::uint32_t>& pixels) {
    if (results.empty()) return false;
    std::vector<std::uint32_t> uncertain;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const kernels::TsDeepResult& pixel = results[i];
      result_.executed += pixel.steps;
      if (pixel.is_uncertain != 0) {
        uncertain.push_back(pixels[i]);
      } else {
        ++result_.on_device;
        store(pixels[i], counted(pixel));
      }
    }
    pixels = std::move(uncertain);
    return true;
  }

  /// In the block, row by row.
  std::uint32_t place(std::uint32_t index) const {
    return places_.empty() ? index : places_[index];
  }
  std::int64_t column(std::uint32_t index) const { return block_.x + place(index) % block_.width; }
  std::int64_t row(std::uint32_t index) const { return block_.y + place(index) / block_.width; }

  /// Pixels under way, with their indices.
  template <class Tier>
  struct Pixels {
    std::vector<typename Tier::Pixel> all;
    std::vector<std::uint32_t> indices;
  };

  /// Stores the pixels that are certain and returns the others. An image that is not exact has all
  /// stored, and the same index may be returned again.
  template <class Tier>
  std::vector<std::uint32_t> advance_all(const Tier& tier,
                                         const std::vector<std::uint32_t>& indices,
                                         AdvanceAll<Tier> advance) {
    std::vector<std::uint32_t> uncertain;
    for (std::size_t at = 0; at < indices.size(); at += kPixelsAtOnce) {
      const auto some =
          std::span(indices).subspan(at, std::min(kPixelsAtOnce, indices.size() - at));
      Pixels<Tier> pixels;
      pixels.all.reserve(some.size());
      for (const std::uint32_t index : some) {
        begin(tier, index, start_pixel(tier, column(index), row(index)), pixels, uncertain);
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
        begin(tier, pixels.indices[i], pixels.all[i], small, uncertain);
      } else if (states[i] == TS_DEEP_UNCERTAIN) {
        uncertain.push_back(pixels.indices[i]);
        if (image_.place.exact) {
          count_steps(pixels.all[i]);
        } else {
          accept(tier, pixels.indices[i], pixels.all[i], small, uncertain);
        }
      } else {
        finish(pixels.indices[i], pixels.all[i]);
      }
    }
    return small;
  }

  /// Adds a pixel to those that are advanced within f64's range, unless it is done or uncertain
  /// before.
  template <class Tier>
  void begin(const Tier& tier, std::uint32_t index, typename Tier::Pixel pixel,
             Pixels<Tier>& pixels, std::vector<std::uint32_t>& uncertain) {
    const std::uint32_t state = scaled_phase(tier, pixel);
    if (state == TS_DEEP_SMALL) {
      pixels.all.push_back(pixel);
      pixels.indices.push_back(index);
    } else if (state == TS_DEEP_UNCERTAIN) {
      count_steps(pixel);
      uncertain.push_back(index);
    } else {
      finish(index, pixel);
    }
  }

  /// Only the fast tier computes images that are not exact.
  template <class Tier>
  void accept(const Tier& tier, std::uint32_t index, typename Tier::Pixel& pixel,
              Pixels<Tier>& pixels, std::vector<std::uint32_t>& uncertain) {
    if constexpr (std::is_same_v<Tier, FastTier>) {
      accept_uncertain(tier, pixel) ? finish(index, pixel)
                                    : begin(tier, index, pixel, pixels, uncertain);
    }
  }

  template <class Pixel>
  void finish(std::uint32_t index, const Pixel& pixel) {
    count_steps(pixel);
    store(index, counted(pixel));
  }

  static CountedPixel counted(const auto& pixel) {
    return {pixel.count,        pixel.smooth_m,  pixel.smooth_radius2, pixel.smooth_slope2,
            pixel.smooth_right, pixel.smooth_up, pixel.smooth_x,       pixel.smooth_y};
  }

  template <class Pixel>
  void count_steps(const Pixel& pixel) {
    result_.executed += pixel.steps + pixel.scaled_steps;
  }

  void store(std::uint32_t index, const CountedPixel& pixel) {
    result_.counts[index] = pixel.count;
    const bool inside = pixel.count == image_.limits.limit;
    if (image_.place.smooth && inside) {
      result_.smooth[index] = static_cast<float>(pixel.count);
    } else if (image_.place.smooth) {
      const auto m = static_cast<double>(pixel.smooth_m), n = static_cast<double>(pixel.count);
      const auto smooth = [&](double steps) {
        return static_cast<float>(
            kernels::ts_smooth_of(image_.place.formula.degree, steps, pixel.smooth_radius2));
      };
      result_.smooth[index] = smooth(m);
      result_.fraction[index] = smooth(m - n);
      result_.phase[index] = static_cast<float>(kernels::ts_angle(pixel.smooth_x, pixel.smooth_y));
    }
    if (image_.place.distance && !inside) {
      const double distance = kernels::ts_distance_of(pixel.smooth_radius2, pixel.smooth_slope2);
      const kernels::TsSlopes gradient =
          kernels::ts_gradient_of(distance, {pixel.smooth_right, pixel.smooth_up});
      result_.distance[index] = kernels::ts_stored_distance(distance);
      result_.gradient_x[index] = kernels::ts_stored_distance(gradient.right);
      result_.gradient_y[index] = kernels::ts_stored_distance(gradient.up);
    }
  }

  const DeepImage& image_;
  base::PixelRect block_;
  const Advance& advance_;
  std::span<const std::uint32_t> places_;
  DeepBlock result_;
};

}  // namespace

DeepBlock render_block(const DeepImage& image, const base::PixelRect& block,
                       const Advance& advance) {
  return BlockRenderer(image, block, advance).run();
}

DeepBlock recompute(const DeepImage& image, const base::PixelRect& block,
                    std::span<const std::uint32_t> pixels, const Advance& advance,
                    const PreciseDevice& device) {
  return BlockRenderer(image, block, advance, pixels).recompute(device);
}

}  // namespace tessera::deep
