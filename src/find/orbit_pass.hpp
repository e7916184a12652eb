// The points of the orbit of 0 in multiprecision, one after the other, until somebody stops the
// run.
#pragma once

#include <bit>

#include "base/run.hpp"
#include "deep/big_orbit.hpp"
#include "find/numbers.hpp"

namespace tessera::find {

/// BigOrbit takes a second one for long numbers alone.
inline constexpr int kOrbitThreads = 2;
/// Steps between two looks at the run.
inline constexpr std::int64_t kStepsBetweenLooks = 256;

/// z_0 = 0, z_1, ... of c, with the bits of c.
class OrbitPass {
 public:
  OrbitPass(const BigComplex& c, const deep::Power& power)
      : orbit_(c, zero(c.re.bits()), power, kOrbitThreads), saved_(orbit_.z()) {}

  void step() {
    if (n_++ % kStepsBetweenLooks == 0) base::throw_if_stopped("find");
    orbit_.step();
    leading_ = find::leading(orbit_.z());
    returned_ = returned_ || is_saved();
    if (std::has_single_bit(static_cast<std::uint64_t>(n_))) saved_ = orbit_.z();
  }
  std::int64_t n() const { return n_; }
  const BigComplex& z() const { return orbit_.z(); }
  const Complex& leading() const { return leading_; }
  /// Whether nothing new comes: no orbit with |c| <= 2 comes back from there, or this one has
  /// fallen into a cycle, bit by bit (Brent, 1980).
  bool has_ended() const { return returned_ || ScaledReal(kEscape) < magnitude(leading_); }

 private:
  static constexpr double kEscape = 4;

  bool is_saved() const {
    const BigComplex& z = orbit_.z();
    return n_ > 1 && mpfr_equal_p(z.re.get(), saved_.re.get()) != 0 &&
           mpfr_equal_p(z.im.get(), saved_.im.get()) != 0;
  }

  deep::BigOrbit orbit_;
  BigComplex saved_;
  bool returned_ = false;
  std::int64_t n_ = 0;
  Complex leading_;
};

}  // namespace tessera::find
