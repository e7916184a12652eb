// Light on the slopes of the distance from the set: a relief, without the pixels beside.
#pragma once

#include <cstddef>
#include <span>

#include "color/pixel.hpp"

namespace tessera::color {

/// Immutable, so threads can share it.
class Light {
 public:
  /// It comes from `azimuth_deg`, anticlockwise from the right of the picture. The greater its
  /// height, the brighter are slopes that face away from it.
  Light(double azimuth_deg, double height);

  /// Multiplies the light of pixels by (n l + h) / (1 + h), or 0, with the unit vector n of
  /// (right, up), pixels.size() f32 each, at any address. Those without one keep their colours.
  void shade(const std::byte* right, const std::byte* up, std::span<Pixel> pixels) const;

 private:
  double right_, up_, height_;
};

}  // namespace tessera::color
