// Points at which orbits are special, as decimals of any length: nuclei, and points whose orbits
// run into a cycle.
#pragma once

#include <optional>
#include <random>
#include <string>

#include "deep/formula.hpp"

namespace tessera::deep {

struct SpecialPoint {
  std::string re, im;
  std::string what;  ///< for messages
};

/// A point with so many digits behind its decimal point. Its orbit, or in a Julia set that of the
/// point, leads back to 0, or from z_k to the same z after a period. Nothing where Newton's method
/// has not found one. A quarter of them are on the real axis.
std::optional<SpecialPoint> find_special_point(std::mt19937_64& random, const Formula& formula,
                                               int digits);

}  // namespace tessera::deep
