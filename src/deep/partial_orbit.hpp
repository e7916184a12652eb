// A reference orbit that is being computed. It can be stored and continued.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "deep/big_orbit.hpp"
#include "deep/orbit_end.hpp"
#include "deep/reference_orbit.hpp"
#include "deep/rounding_errors.hpp"

namespace tessera::deep {

class PartialOrbit {
 public:
  PartialOrbit(const OrbitStart& start, const OrbitLimits& limits);

  bool complete() const;
  std::uint64_t iterations() const { return static_cast<std::uint64_t>(orbit_.length()); }
  /// Some iterations more, unless it is complete.
  void advance();
  const ReferenceOrbit& orbit() const { return orbit_; }
  /// The complete orbit. One that runs into a cycle ends at the element of the cycle that is
  /// nearest to 0: there, pixels that begin again at the first element lose the fewest bits.
  ReferenceOrbit take();

  /// The state of an incomplete orbit: numbers with all their bits. The elements are stored apart.
  struct State {
    std::string re, im, saved_re, saved_im;

    static auto members(auto& self) {
      return std::tie(self.re, self.im, self.saved_re, self.saved_im);
    }
  };
  State state() const;
  /// Continues an orbit of the same start and limits. It ends at the same element.
  void continue_from(ReferenceOrbit orbit, const State& state);

 private:
  void append();
  /// Follows the step from Z_m in the derivatives and the errors.
  void follow(const kernels::ScaledComplex<double>& z, bool exact) {
    const kernels::ScaledReal size = magnitude(z);
    end_.step(z, size);
    errors_.step(size, exact);
  }
  /// Whether z_ has too large an error for an element.
  bool has_lost_bits() const;
  bool is_exact() const { return start_.exact && z_.is_exact(); }
  std::int64_t& exact_elements() { return orbit_.first > 0 ? orbit_.exact_second : orbit_.exact; }
  /// Whether the orbit under way, that of the centre or that of 0, is complete.
  bool ends() const;
  std::uint64_t steps() const { return static_cast<std::uint64_t>(orbit_.length() - orbit_.first); }
  void begin_second();
  /// Z_m as f64.
  kernels::ScaledComplex<double> element(std::int64_t m) const { return rounded(orbit_.at(m)); }

  OrbitStart start_;
  OrbitLimits limits_;
  ReferenceOrbit orbit_;
  BigOrbit z_;
  kernels::ScaledComplex<double> last_;  ///< the last element
  OrbitEnd end_;
  RoundingErrors errors_;  ///< rounding errors of z_
  BigComplex saved_;       ///< Z at the last power of two: Brent (1980)
};

}  // namespace tessera::deep
