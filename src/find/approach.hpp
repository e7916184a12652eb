// Newton's method to a nucleus, with as many bits in each step as it can gain.
#pragma once

#include <functional>
#include <optional>

#include "find/candidates.hpp"

namespace tessera::find {

/// A point that is `error` from a nucleus, about.
struct Approached {
  BigComplex c;
  double log2_error = 0;
  Sighting last;
};

/// What an approach is to reach.
struct Aim {
  ScaledReal reach;  ///< how far from the start the nucleus may lie
  /// log2 of the error that is small enough for a minibrot of log2 this size.
  std::function<double(double log2_size)> log2_error;
};

/// At c, in a pass of few bits.
Sighting sighted(const BigComplex& c, std::int64_t period, const Power& power);

/// From c with a sighting there. Nothing if it leaves the reach, or does not converge.
std::optional<Approached> approach(const BigComplex& c, const Sighting& first, const Power& power,
                                   const Aim& aim);

}  // namespace tessera::find
