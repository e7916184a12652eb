// What the bounds of a wide image's orbits depend on, computed once for the image
// (docs/numerics-exact.md). Bounds are squares of distances.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"
#include "device/device.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::device {

/// Steps of a block: at its end, |z| is tested.
// crossed by: are_the_counts_of_mpfr
inline constexpr std::uint32_t kExactBlock = TS_EXACT_BLOCK;
/// Steps of degree 2 for which |z|^2 is raised by one bound.
inline constexpr std::uint32_t kExactQuick = TS_EXACT_QUICK;

using ExactImage = kernels::TsExactImage;
using ExactLimits = kernels::TsExactLimits;
using ExactPlane = kernels::TsExactPlane;
using QuickBound = kernels::TsQuickBound;

/// Of an image with exact arithmetic.
ExactImage exact_image(const job::ImageSpec& image);

/// That of the image that was asked for last.
class KeptExactImage {
 public:
  const ExactImage& of(const job::ImageSpec& image) {
    if (image_ != image) exact_ = exact_image(image);
    image_ = image;
    return exact_;
  }

 private:
  job::ImageSpec image_;  ///< plain at first
  ExactImage exact_{};
};

}  // namespace tessera::device
