// Jumps over many iterations of a pixel's difference from the reference orbit.
//
// With the reference orbit Z and a pixel's difference z, a step from z_m over l iterations is
//
//     t = z (2 Z_m + z)            exact
//     z' = t (A + Q t) + B c       valid while |t| < T
//
// so that dropped terms stay below 2^-53 of those that remain. Z has dips: elements smaller than
// their neighbours, after which differences behave anew. Entries of level k + 1 join those of level
// k from dip to dip.
#pragma once

#include <cstdint>
#include <vector>

#include "deep/reference_orbit.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// An entry whose numbers need exponents of their own: T < 2^-490.
struct ScaledEntry {
  kernels::ScaledReal radius;
  kernels::ScaledComplex<double> a, q, b;
  std::int64_t length = 0;
};

struct JumpTable {
  struct ScaledNode {
    std::int64_t m = 0;
    std::uint32_t first = 0;
    std::uint32_t levels = 0;
  };

  std::vector<kernels::TsJumpNode> nodes;     ///< for m = 0 to M
  std::vector<kernels::TsJumpEntry> entries;  ///< of a node, by rising length and falling radius
  std::vector<ScaledNode> scaled_nodes;       ///< ascending
  std::vector<ScaledEntry> scaled_entries;    ///< continue the node's entries

  const ScaledNode* scaled_node(std::int64_t m) const;
};

struct JumpLimits {
  std::int64_t unit_exponent =
      0;                     ///< 2^unit_exponent is above |c| of every pixel, and the unit of c
  double radius = 2;         ///< no jump passes |Z + z| = radius
  double epsilon = 0x1p-53;  ///< of the terms that are dropped, relative to those that remain
};

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits);

}  // namespace tessera::deep
