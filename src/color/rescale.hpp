// Pictures at any scale: source pixels are weighed into target pixels, and layers into one, in
// linear light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "color/pixel.hpp"
#include "color/turned_layer.hpp"

namespace tessera::color {

/// Weights of a triangle around the place `middle`, of pixels from `begin` on; they add up to
/// 2^Taps::kWeightBits.
void set_triangle(double middle, double radius, std::int64_t begin,
                  std::span<std::uint16_t> weights);

/// Which source pixels a target pixel is made of, along one side of a picture: a triangle as wide
/// as two target pixels, or two source pixels if these are larger.
class Taps {
 public:
  static constexpr int kWeightBits = 14;

  /// The middles of both sides are the same place. `scale`: source pixels in a target pixel. Target
  /// pixels whose middle lies outside the source have no weights.
  Taps(std::int64_t source, std::int64_t target, double scale);

  std::int64_t target() const { return static_cast<std::int64_t>(spans_.size()); }
  /// The targets that have weights of some of the sources from `begin` to before `end`.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range targets_of(std::int64_t begin, std::int64_t end) const;
  /// The sources that the targets from `begin` to before `end` have weights of.
  Range sources_of(std::int64_t begin, std::int64_t end) const;

  /// The weights of a target, of the sources from first() on; they add up to 2^kWeightBits.
  std::int64_t first(std::int64_t target) const { return at(target).first; }
  std::span<const std::uint16_t> weights(std::int64_t target) const {
    return {weights_.data() + at(target).offset, at(target).count};
  }

 private:
  struct Span {
    std::int64_t first = 0;
    std::size_t offset = 0, count = 0;
  };
  const Span& at(std::int64_t target) const { return spans_[static_cast<std::size_t>(target)]; }
  void add_target(double middle, double radius, std::int64_t source);

  std::vector<Span> spans_;
  std::vector<std::uint16_t> weights_;
};

/// A source picture as part of a target: its taps, and how much of it a target pixel takes.
struct Layer {
  static constexpr int kShareBits = 10;

  Taps columns, rows;
  std::vector<std::uint32_t> column_share, row_share;  ///< 2^kShareBits = all
  bool rest = false;  ///< takes what the product of the shares leaves

  /// Those that `count` rows need.
  base::PixelRect sources_of(std::int64_t first_row, std::int64_t count) const {
    const Taps::Range x = columns.sources_of(0, columns.target());
    const Taps::Range y = rows.sources_of(first_row, first_row + count);
    return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
  }

  std::uint64_t share(std::size_t x, std::size_t y) const {
    const std::uint64_t part = std::uint64_t{column_share[x]} * row_share[y] >> kShareBits;
    return rest ? (std::uint64_t{1} << kShareBits) - part : part;
  }
};

/// Adds up layers. Takes the source pixels in any order and in pieces of any length; the sums are
/// integers, so neither changes a bit. The shares of all layers at a pixel add up to all. Not
/// thread-safe.
class LightBlend {
 public:
  /// Starts rows `first_row` to before first_row + size.height of the target, size.width wide.
  void begin(std::int64_t first_row, base::ImageSize size);
  /// Adds opaque pixels of row `row` of the layer's source, from column `x` on.
  void add(const Layer& layer, std::int64_t row, std::int64_t x, std::span<const Pixel> pixels);
  /// The same of a turned one, whose sources are in `picture`.
  void add(const TurnedLayer& layer, const LightPicture& picture);
  /// Writes row `row` of the target.
  void finish(std::int64_t row, std::span<Pixel> out) const;

  static std::size_t memory_bytes(base::ImageSize size);

 private:
  void take_light(std::span<const Pixel> pixels);
  void weigh_columns(const Taps& columns, Taps::Range targets, std::int64_t x, std::int64_t end);

  std::int64_t first_row_ = 0;
  base::ImageSize size_;
  std::vector<std::uint64_t> sums_;   ///< three of each target pixel
  std::vector<std::uint32_t> light_;  ///< three of each pixel that is added
  std::vector<std::uint64_t> row_;    ///< the same, weighed into target columns
};

}  // namespace tessera::color
