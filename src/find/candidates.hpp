// Periods that a minibrot near a point may have.
#pragma once

#include <optional>

#include "find/orbit_pass.hpp"
#include "find/slopes.hpp"

namespace tessera::find {

/// What an orbit near a nucleus says of it.
struct Sighting {
  std::int64_t period = 0;
  Complex step;       ///< of Newton: c less this is nearer
  ScaledReal domain;  ///< radius where z_p is the smallest of its orbit, about
  ScaledReal size;    ///< of the minibrot, about; 0 = unknown
};

/// The n with |z_n| < r |dz_n/dc|, in order: there a root of the linear part of z_n is within r.
class Candidates {
 public:
  Candidates(const BigComplex& c, const ScaledReal& radius, const Power& power, std::int64_t most)
      : pass_(c, power), derivatives_(power), radius_(radius), most_(most) {}

  /// How many to try: higher degrees have more false ones.
  static int most_tries(const Power& power) { return 8 * (power.degree - 1); }

  /// Nothing once the orbit has come to an end, or after the most steps.
  std::optional<Sighting> next();
  bool has_ended() const { return pass_.has_ended(); }

 private:
  bool is_near() const;

  OrbitPass pass_;
  Derivatives derivatives_;
  ScaledReal radius_;
  std::int64_t most_;
  ScaledReal least_ = ScaledReal::infinity();  ///< of |z_k| before
};

/// Of a point of an orbit, where the smallest before it had the size `least`.
Sighting sighting_of(std::int64_t period, const Complex& z, const Derivatives& derivatives,
                     const ScaledReal& least);

}  // namespace tessera::find
