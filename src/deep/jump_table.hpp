// Jumps over many iterations of a pixel's difference from the reference orbit.
//
// With the reference orbit Z and a pixel's difference z, a step from z_m over l iterations is
//
//     t = z (2 Z_m + z)            exact
//     z' = t (A + Q t) + B c       valid while |t| < T
//
// so that dropped terms stay below 2^-53 of those that remain. Z has dips: elements smaller than
// their neighbours. T is smallest there, so entries end at dips: an entry of level k + 1 joins the
// entries of level k between two dips.
#pragma once

#include <cstdint>
#include <vector>

#include "deep/reference_orbit.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// The table of jumps in numbers of f64 or of 106 bits. Entries of a node have rising lengths and
/// falling radii; those of smallest radius are scaled entries.
template <class Number>
struct JumpTableOf {
  using Node = typename kernels::NumberTypes<Number>::Node;
  using Entry = typename kernels::NumberTypes<Number>::Entry;

  std::vector<Node> nodes;  ///< for m = 0 to M
  std::vector<Entry> entries;
  std::vector<kernels::TsScaledNode<Number>> scaled_nodes;  ///< ascending
  std::vector<kernels::TsScaledEntry<Number>> scaled_entries;

  /// As kernels read it.
  kernels::TsJumps<Number> jumps() const {
    return {nodes.data(), entries.data(), scaled_nodes.data(), scaled_entries.data(),
            static_cast<std::uint32_t>(scaled_nodes.size())};
  }
};
using JumpTable = JumpTableOf<double>;
using PreciseTable = JumpTableOf<kernels::DoubleDouble>;

struct JumpLimits {
  std::int64_t unit_exponent =
      0;                     ///< 2^unit_exponent is above |c| of every pixel, and the unit of c
  double radius = 2;         ///< no jump passes |Z + z| = radius
  double epsilon = 0x1p-53;  ///< of the terms that are dropped, relative to those that remain
  bool moves_c = true;       ///< c differs between pixels
  bool none = false;         ///< no jumps: the table has elements alone
};

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits);
PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpLimits& limits);

}  // namespace tessera::deep
