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
template <class Number>
struct ScaledEntry {
  kernels::ScaledReal radius;
  kernels::ScaledComplex<Number> a, q, b;
  std::int64_t length = 0;
};

/// The entries of smallest radius. They continue those of their node.
template <class Number>
struct ScaledEntries {
  struct Node {
    std::int64_t m = 0;
    std::uint32_t first = 0;
    std::uint32_t levels = 0;
  };

  std::vector<Node> nodes;  ///< ascending
  std::vector<ScaledEntry<Number>> entries;

  /// The longest jump from m with |t| = size; null if there is none here.
  const ScaledEntry<Number>* find(std::int64_t m, const kernels::ScaledReal& size) const;
};

/// Entries of a node have rising lengths and falling radii.
struct JumpTable {
  std::vector<kernels::TsJumpNode> nodes;  ///< for m = 0 to M
  std::vector<kernels::TsJumpEntry> entries;
  ScaledEntries<double> scaled;
};

/// As JumpTable, with numbers of 106 bits.
struct PreciseTable {
  using Number = kernels::DoubleDouble;

  /// An element of the reference orbit.
  struct alignas(64) Node {
    double re = 0, im = 0, re_low = 0, im_low = 0;
    double radius2 = 0;
    std::uint32_t first = 0;
    std::uint32_t levels = 0;
  };
  struct alignas(128) Entry {
    double radius2 = 0;
    std::uint64_t length = 0;
    Number a_re, a_im, q_re, q_im, b_re, b_im;
  };

  std::vector<Node> nodes;
  std::vector<Entry> entries;
  ScaledEntries<Number> scaled;
};

struct JumpLimits {
  std::int64_t unit_exponent =
      0;                     ///< 2^unit_exponent is above |c| of every pixel, and the unit of c
  double radius = 2;         ///< no jump passes |Z + z| = radius
  double epsilon = 0x1p-53;  ///< of the terms that are dropped, relative to those that remain
};

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits);
PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpLimits& limits);

}  // namespace tessera::deep
