// Where a nucleus or another point is looked for, and in which order.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "deep/formula.hpp"
#include "find/numbers.hpp"
#include "find/periods.hpp"
#include "find/slopes.hpp"

namespace tessera::find {

struct Neighbourhood {
  deep::Formula formula;
  std::string re, im;  ///< decimals
  ScaledReal radius;
  std::int64_t most = 10'000'000;  ///< steps of an orbit
  std::int64_t places = 0;         ///< decimal places of a result, at least

  Power power() const { return {formula.fold(), formula.degree}; }
};

/// Why there is none.
struct Nothing {
  ScaledReal radius;            ///< of what was looked at
  std::int64_t most = 0;        ///< steps of an orbit that had not come to an end
  std::int64_t candidates = 0;  ///< that were tried
  std::int64_t folded = 0;      ///< of them, so many lie on a fold of the formula
  std::int64_t outside = 0;     ///< so many are farther away
  bool impossible = false;      ///< there is none: all are above the axis of the Burning Ship
};

/// Parts of the radius in which linear parts of an orbit look for roots, in this order. Newton's
/// method may go kReach times as far.
inline constexpr std::array kSearchParts = {0.25, 0.0625, 1.0};
inline constexpr double kReach = 4;
/// Bits beyond those of a radius or an error.
inline constexpr std::int64_t kMoreBits = 76;

/// The first thing that `certify` makes of a candidate (c, candidate, radius), or else nothing.
/// Candidates come from a Source(c, radius, power, most).
template <class Found, class Source, class Certify>
std::optional<Found> first_certified(const Neighbourhood& place, Nothing& nothing,
                                     const Certify& certify) {
  nothing.radius = place.radius;
  bool more = false;  // candidates than were tried
  for (const double part : kSearchParts) {
    if (part < kSearchParts.front() && !more) continue;  // it would have no others
    const ScaledReal radius = place.radius * ScaledReal(part);
    const auto bits = std::max<std::int64_t>(-radius.e, 0) + kMoreBits + bits_of(place.most);
    const BigComplex c = point(place.re, place.im, bits);
    Source source(c, radius, place.power(), place.most);
    more = true;
    for (int tried = 0; tried < Source::most_tries(place.power()); ++tried) {
      const auto candidate = source.next();
      more = candidate.has_value();
      if (!more) break;
      ++nothing.candidates;
      if (auto found = certify(c, *candidate, radius)) return found;
    }
    if (!more && !source.has_ended()) nothing.most = place.most;
  }
  return std::nullopt;
}

}  // namespace tessera::find
