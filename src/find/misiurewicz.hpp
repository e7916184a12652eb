// Misiurewicz points, where spirals and branches begin: found by Newton's method, and proven.
#pragma once

#include <variant>

#include "find/nucleus.hpp"

namespace tessera::find {

/// A parameter whose orbit has z_(preperiod + period) = z_preperiod, for no smaller numbers.
struct Misiurewicz {
  Point point;
  std::int64_t preperiod = 0, period = 0;
  /// By which pictures of the point repeat themselves.
  ScaledReal factor;
  double turn_degrees = 0;
};

/// Of a formula that does not fold. The period is at most kLongestCycle.
std::variant<Misiurewicz, Nothing> find_misiurewicz(const Neighbourhood& place);
inline constexpr std::int64_t kLongestCycle = 24;

}  // namespace tessera::find
