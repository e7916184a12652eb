#include "plane/real.hpp"

#include "base/decimal.hpp"
#include "base/error.hpp"

namespace tessera::plane {
namespace {

Real pi() {
  Real value;
  mpfr_const_pi(value.get(), MPFR_RNDN);
  return value;
}

/// The quarter turns that are nearest to an angle, modulo 4, and what is left of it, in radians.
struct Angle {
  int quarters = 0;
  Real rest;
};

Angle split(const Real& degrees) {
  Real quarters = degrees / 90;
  mpfr_round(quarters.get(), quarters.get());
  Angle angle{.rest = (degrees - quarters * 90) * pi() / 180};
  Real turns = quarters / 4;
  mpfr_floor(turns.get(), turns.get());
  angle.quarters = static_cast<int>((quarters - turns * 4).nearest());
  return angle;
}

Real sine(const Angle& angle) {
  Real value;
  if (angle.quarters % 2 == 0) {
    mpfr_sin(value.get(), angle.rest.get(), MPFR_RNDN);
  } else {
    mpfr_cos(value.get(), angle.rest.get(), MPFR_RNDN);
  }
  return angle.quarters < 2 ? value : -value;
}

}  // namespace

Real::Real(std::string_view text, std::int64_t bits, int base) : MpfrNumber(bits) {
  const bool is_read = mpfr_set_str(get(), std::string(text).c_str(), base, MPFR_RNDN) == 0;
  if (is_read && mpfr_number_p(get()) != 0) return;
  throw base::usage_error("'{}' is not a number", base::shortened(text));
}

Real operator-(const Real& value) {
  Real result;
  mpfr_neg(result.get(), value.get(), MPFR_RNDN);
  return result;
}

Real operator+(const Real& one, const Real& other) {
  Real result;
  mpfr_add(result.get(), one.get(), other.get(), MPFR_RNDN);
  return result;
}

Real operator-(const Real& one, const Real& other) {
  return one + -other;
}

Real operator*(const Real& one, const Real& other) {
  Real result;
  mpfr_mul(result.get(), one.get(), other.get(), MPFR_RNDN);
  return result;
}

Real operator/(const Real& one, const Real& other) {
  Real result;
  mpfr_div(result.get(), one.get(), other.get(), MPFR_RNDN);
  return result;
}

Real sqrt(const Real& value) {
  Real result;
  mpfr_sqrt(result.get(), value.get(), MPFR_RNDN);
  return result;
}

Real exp2(const Real& value) {
  Real result;
  mpfr_exp2(result.get(), value.get(), MPFR_RNDN);
  return result;
}

Real log2(const Real& value) {
  Real result;
  mpfr_log2(result.get(), value.get(), MPFR_RNDN);
  return result;
}

Real cos_of_degrees(const Real& degrees) {
  return sin_of_degrees(degrees + 90);
}

Real sin_of_degrees(const Real& degrees) {
  return sine(split(degrees));
}

Real degrees_of(const Real& y, const Real& x) {
  Real result;
  mpfr_atan2(result.get(), y.get(), x.get(), MPFR_RNDN);
  return degrees_of_radians(result);
}

Real degrees_of_radians(const Real& radians) {
  return radians * 180 / pi();
}

}  // namespace tessera::plane
