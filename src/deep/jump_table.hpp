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

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "deep/reference_orbit.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// The entries of smallest radius.
template <class Number>
struct ScaledJumps {
  std::vector<kernels::TsScaledNode<Number>> scaled_nodes;  ///< ascending
  std::vector<kernels::TsScaledEntry<Number>> scaled_entries;
};

/// The table of jumps in f64. Entries of a node have rising lengths and falling radii.
struct JumpTable : ScaledJumps<double> {
  std::vector<kernels::TsJumpNode> nodes;  ///< for m = 0 to M
  std::vector<kernels::TsJumpEntry> entries;

  /// As kernels read it.
  kernels::TsJumps<double> jumps() const {
    return {nodes.data(), entries.data(), scaled_nodes.data(), scaled_entries.data(),
            static_cast<std::uint32_t>(scaled_nodes.size())};
  }
};

/// The tables of all tiers of 106 bits. The elements are those of the orbit and of the table of
/// f64.
struct PreciseTable {
  /// Terms of a jump that are dropped, relative to those that remain: first large jumps, then exact
  /// ones.
  static constexpr std::array<double, kernels::kPreciseTiers> kEpsilons{0x1p-80, 0x1p-104};

  std::vector<kernels::PreciseLinks> links;  ///< for m = 0 to M
  std::vector<kernels::PreciseEntry> entries;
  std::array<ScaledJumps<kernels::DoubleDouble>, kernels::kPreciseTiers> scaled;

  kernels::TsJumps<kernels::DoubleDouble> jumps(const ReferenceOrbit& orbit, const JumpTable& table,
                                                std::size_t tier) const;
};

struct JumpLimits {
  std::int64_t unit_exponent =
      0;                ///< 2^unit_exponent is above |c| of every pixel, and the unit of c
  double radius = 2;    ///< no jump passes |Z + z| = radius
  int degree = 2;       ///< degree of the formula
  bool moves_c = true;  ///< c differs between pixels
  bool none = false;    ///< no jumps: the table has elements alone
};

/// An orbit of so many elements has no more jumps: only the groups of the second level and later
/// ones have entries, and a level has at most half as many groups as items, and one more
/// (table_builder.hpp). A Julia set has two orbits.
constexpr std::size_t max_jumps(std::size_t elements) {
  return elements / 2 + 4;
}
/// At most so many, from the sizes of this orbit's elements. Takes a small part of the time for a
/// table.
std::size_t count_jumps(const ReferenceOrbit& orbit);

JumpTable build_table(const ReferenceOrbit& orbit, const JumpLimits& limits);
/// For an orbit whose table of f64 is `table`.
PreciseTable build_precise_table(const ReferenceOrbit& orbit, const JumpTable& table,
                                 const JumpLimits& limits);

}  // namespace tessera::deep
