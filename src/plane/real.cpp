#include "plane/real.hpp"

#include "base/decimal.hpp"
#include "base/error.hpp"

namespace tessera::plane {
namespace {

/// A function of MPFR, rounded.
template <class Function, class... Numbers>
Real rounded_value(Function function, const Numbers&... numbers) {
  Real result;
  function(result.get(), numbers.get()..., MPFR_RNDN);
  return result;
}

Real pi() {
  return rounded_value(mpfr_const_pi);
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
  const Real value = rounded_value(angle.quarters % 2 == 0 ? mpfr_sin : mpfr_cos, angle.rest);
  return angle.quarters < 2 ? value : -value;
}

}  // namespace

Real::Real(std::string_view text, std::int64_t bits, int base) : MpfrNumber(bits) {
  const bool is_read = mpfr_set_str(get(), std::string(text).c_str(), base, MPFR_RNDN) == 0;
  if (is_read && mpfr_number_p(get()) != 0) return;
  throw base::usage_error("'{}' is not a number", base::shortened(text));
}

Real operator-(const Real& value) {
  return rounded_value(mpfr_neg, value);
}

Real operator+(const Real& one, const Real& other) {
  return rounded_value(mpfr_add, one, other);
}

Real operator-(const Real& one, const Real& other) {
  return one + -other;
}

Real operator*(const Real& one, const Real& other) {
  return rounded_value(mpfr_mul, one, other);
}

Real operator/(const Real& one, const Real& other) {
  return rounded_value(mpfr_div, one, other);
}

Real sqrt(const Real& value) {
  return rounded_value(mpfr_sqrt, value);
}

Real exp2(const Real& value) {
  return rounded_value(mpfr_exp2, value);
}

Real log2(const Real& value) {
  return rounded_value(mpfr_log2, value);
}

Real cos_of_degrees(const Real& degrees) {
  return sin_of_degrees(degrees + 90);
}

Real sin_of_degrees(const Real& degrees) {
  return sine(split(degrees));
}

Real degrees_of(const Real& y, const Real& x) {
  return degrees_of_radians(rounded_value(mpfr_atan2, y, x));
}

Real degrees_of_radians(const Real& radians) {
  return radians * 180 / pi();
}

}  // namespace tessera::plane
