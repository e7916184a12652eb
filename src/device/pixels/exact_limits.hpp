// What the bounds of a wide image's orbits depend on, computed once for the image
// (docs/numerics-exact.md). Bounds are squares of distances.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "deep/deep_image.hpp"
#include "device/device.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::device {

/// Steps of a block: at its end, |z| is tested.
// crossed by: are_the_counts_of_mpfr
inline constexpr std::uint32_t kExactBlock = 16;
/// Steps of degree 2 for which |z|^2 is raised by one bound.
inline constexpr std::uint32_t kExactQuick = 4;

/// The quick steps of blocks that begin at the same binary digit of n. `scale` times the bound is
/// what they compute; it is a power of two.
struct QuickBound {
  double scale = 1, unscaled = 1;  ///< and its inverse
  double joins = 0;                ///< is added to a bound that had another `scale`
  std::array<double, kExactQuick> added{};
  double of_all = 1;        ///< factor after kExactQuick steps; degree 2
  double single_added = 0;  ///< of a step that stands alone
  double of_single = 1;
};

struct ExactLimits {
  int degree = 2;
  bool careful = false;  ///< test |z| after every step
  double bailout2 = 4;   ///< R^2
  double within2 = 4;    ///< blocks end within; the square of the escape radius
  double start_relative = 0, start_absolute = 0;  ///< of the first z: the bound by |z|^2
  /// Whether errors in the first block are known beforehand: after i steps, the exact |z|^2 is at
  /// most R^2 if that in f64 is at most least2[i], and above R^2 if that is above most2[i].
  bool known = false;
  std::array<double, kExactBlock + 1> least2{}, most2{};
  std::array<QuickBound, 64> quick{};    ///< by quick_of()
  kernels::TsBoundGrowth growth{};       ///< where |z| is tested after every step
  kernels::TsBoundGrowth long_growth{};  ///< of numbers of 106 bits
  double long_start = 0;                 ///< the bound of the first z of 106 bits
};

/// The index of QuickBound for a block that begins at n; those of the first one change every
/// kExactQuick steps.
constexpr std::size_t quick_of(std::uint64_t n) {
  if (n < kExactBlock) return 4 + n / kExactQuick;
  return 2 + static_cast<std::size_t>(std::bit_width(n));
}

/// The coordinates of an image with 106 bits.
struct ExactPlane {
  kernels::TsLong center_re, center_im, constant_re, constant_im;
  kernels::TsLong right_re, right_im, up_re, up_im;  ///< what pixels to the right and up add
};

struct ExactImage {
  ExactLimits limits;
  ExactPlane plane;
};

/// Of an image with exact arithmetic.
ExactImage exact_image(const job::ImageSpec& image);

}  // namespace tessera::device
