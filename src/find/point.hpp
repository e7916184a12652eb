// Proven points as decimals.
#pragma once

#include <string>

#include "find/enclosure.hpp"

namespace tessera::find {

/// The true point is within `error` of the decimals, and is the only one within `radius`.
struct Point {
  std::string re, im;
  std::int64_t places = 0;
  ScaledReal error, radius;
};

/// Whether a root whose conjugate is one too is its own, as there is one alone within the radius.
bool is_real(const BigComplex& c, const Root& root);

/// log2 of a unit of the last decimal place.
double log2_of_places(std::int64_t places);
/// So that a pixel of a picture of something of this size is many units of the last one.
std::int64_t places_below(double log2_size);
/// Of a root found at c, with so many decimal places. `real`: its imaginary part is known to be 0.
Point point_of(const BigComplex& c, const Root& root, std::int64_t places, bool real);

}  // namespace tessera::find
