// A picture as part of another one that is turned against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.hpp"
#include "color/pixel.hpp"

namespace tessera::color {

/// A part of a picture in linear light.
class LightPicture {
 public:
  void begin(const base::PixelRect& part);
  /// Opaque pixels of row `y`, from column `x` on, in the coordinates of the whole picture.
  void put(std::int64_t x, std::int64_t y, std::span<const Pixel> pixels);
  /// The three values of a pixel; those of the nearest one for a place beyond the part.
  const std::uint32_t* at(std::int64_t x, std::int64_t y) const;

  static std::size_t memory_bytes(base::ImageSize size);

 private:
  base::PixelRect part_;
  std::vector<std::uint32_t> light_;
};

/// Weights of a triangle as wide as those of Taps, for places between pixels: 256 of each pixel.
class PhaseWeights {
 public:
  explicit PhaseWeights(double scale);

  /// Which pixels have the weights: from pixel `first` on.
  struct Place {
    std::int64_t first = 0;
    std::span<const std::uint16_t> weights;
  };
  Place at(double middle) const;

 private:
  std::int64_t first_ = 0;  ///< of a place from 0 to 1
  std::size_t count_ = 0;
  std::vector<std::uint16_t> weights_;
};

/// How a picture lies in another one: their middles are the same place.
struct Pose {
  /// `scale`: pixels of the source in one of the target, whose right points `turn_deg` degrees
  /// anticlockwise in the source.
  Pose(base::ImageSize source, base::ImageSize target, double scale, double turn_deg);

  base::ImageSize source, target;
  double scale;
  double right, up;  ///< what a column of the target adds

  /// A place in pixels.
  struct Place {
    double x = 0, y = 0;
  };
  /// The middle of a target pixel, from the middle of the source.
  Place from_middle(std::int64_t x, std::int64_t y) const;
  /// The pixels around the places of rows `first` to before `first` + `rows`, `reach` more each
  /// way.
  base::PixelRect sources_of(std::int64_t first, std::int64_t rows, double reach) const;
};

/// How much of a picture with a soft edge the pixels of another one take.
struct SoftEdge {
  Pose pose;
  double edge_px = 0;  ///< width of the edge, in pixels of the target
  double most = 0;     ///< far enough inside

  /// The share of a pixel, where 2^Layer::kShareBits is all.
  std::uint64_t share(std::int64_t x, std::int64_t y) const;
};

/// As Layer, of a picture that is turned.
class TurnedLayer {
 public:
  /// `rest`: takes what `edge` leaves, which else is the edge of this picture.
  TurnedLayer(const Pose& pose, const SoftEdge& edge, bool rest);

  base::PixelRect sources_of(std::int64_t first, std::int64_t rows) const;
  std::uint64_t share(std::int64_t x, std::int64_t y) const;
  /// Adds `share` times the three values of the picture there.
  void add(const LightPicture& picture, std::int64_t x, std::int64_t y, std::uint64_t share,
           std::uint64_t* sums) const;

 private:
  Pose pose_;
  SoftEdge edge_;
  bool rest_;
  PhaseWeights weights_;
};

}  // namespace tessera::color
