// Renders one pixel at a time: for machines without a vector fused multiply-add, and for the few
// pixels and jobs that violate the assumptions of the vector path.
#pragma once

#include <cstdint>

#include "device/cpu/pixels/band.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::cpu {

/// |z|^2 beyond which the smooth count is computed: 256^2.
inline constexpr double kSmoothRadius2 = 65536;

struct OrbitLimits {
  std::uint32_t iterations = 0;  ///< N
  double bailout2 = 4;           ///< R^2
  bool smooth = false;           ///< orbits are followed to the smooth radius
  bool shortcuts = true;
  bool careful = false;  ///< test |z| after every step
  double constant_re = 0;
  double constant_im = 0;
  bool measures = false;  ///< orbits go to the smooth radius once more
  double step = 0;        ///< between pixels
  bool turned = false;    ///< `turn` is not the identity
  kernels::TsTurn turn{};
  bool interior = false;  ///< by the derivative's test
  bool fraction = false;  ///< `smooth` is set then, too
  bool derives = false;   ///< then with their derivatives
  bool gradient = false;  ///< `derives` is set then, too
  bool phase = false;     ///< `measures` is set then, too
};

OrbitLimits orbit_limits(const Band& band);

struct PixelValue {
  std::uint32_t iterations = 0;
  job::PerField<float> more;
  std::uint64_t executed = 0;
};

/// Computes the pixel at (re, im).
PixelValue scalar_orbit(const job::Formula& formula, double re, double im,
                        const OrbitLimits& limits);

/// Renders a whole band with scalar_orbit().
BlockCounts render_scalar(const Band& band);

}  // namespace tessera::device::cpu
