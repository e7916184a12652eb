// Elements from all over a plane, from which its range of colours comes.
#pragma once

#include <span>
#include <vector>

#include "base/geometry.hpp"

namespace tessera::browse {

/// One element of each of at most 2^16 rectangles of the plane, at a place without a pattern: the
/// same ones in whatever order the plane is read. All elements of a small plane.
class PlaneSample {
 public:
  explicit PlaneSample(const base::ImageSize& size);

  /// Keeps what it wants of the elements of `rect`, row by row.
  void take(const base::PixelRect& rect, std::span<const double> elements);
  /// Those that are finite, of what was taken.
  std::vector<double> numbers() const;
  std::size_t bytes() const { return kept_.size() * sizeof(double); }

 private:
  base::ImageSize size_;
  base::ImageSize part_;   ///< of a rectangle
  base::ImageSize parts_;  ///< rectangles of the plane
  std::vector<double> kept_;
};

}  // namespace tessera::browse
