// Draws the set's edge and its filaments: pixels near the set take the colour of the points inside.
#pragma once

#include <cstddef>
#include <span>

#include "color/pixel.hpp"

namespace tessera::color {

/// Immutable, so threads can share it.
class DistanceShade {
 public:
  /// Pixels whose distance is below `reach` are mixed with `inside`, in linear light and in
  /// proportion; those at distance 0 have that colour alone.
  DistanceShade(double reach, const Pixel& inside) : reach_(reach), inside_(inside) {}

  /// `distances`: pixels.size() f32, at any address.
  void shade(const std::byte* distances, std::span<Pixel> pixels) const;

 private:
  double reach_;
  Pixel inside_;
};

}  // namespace tessera::color
