// How a bound of an orbit's error grows in a step (kernels/pixel/bounded_steps.h).
#pragma once

namespace tessera::kernels {

/// Wherever z is. Bounds are squares of distances.
struct TsBoundGrowth {
  double split = 0;     ///< 1 / delta
  double growth = 0;    ///< d^2 (1 + delta)^d
  double rounding = 0;  ///< of a step, by |z|^2d
  double constant = 0;  ///< of a step, for all z
};

}  // namespace tessera::kernels
