// The formula of an image: a row of the table kernels/pixel/formulas.h, with its parameters.
#pragma once

#include <string>
#include <string_view>

#include "kernels/pixel/formulas.hpp"

namespace tessera::job {

struct Formula {
  kernels::TsFormula id = kernels::TS_FORMULA_mandelbrot;
  int degree = 2;          ///< degree of the power of z
  double constant_re = 0;  ///< c of all pixels, for a formula with a constant
  double constant_im = 0;
  /// With all digits, as normalized decimals; empty for other formulas.
  std::string constant_re_text, constant_im_text;

  friend bool operator==(const Formula&, const Formula&) = default;
};

/// The smallest and the largest degree that a parameter may have.
// crossed by: reads_a_formula_with_its_parameter, EveryFormula
inline constexpr int kMinDegree = 3;
inline constexpr int kGreatestDegree = 8;

/// Parses "NAME" or "NAME:PARAMETER", with names of the table. Throws usage errors that begin with
/// `what` and list valid values.
Formula parse_formula(std::string_view text, std::string_view what);

/// Returns the same text for all spellings of a formula: names are unchanged, numbers are
/// normalized with base::normalized_decimal().
std::string normalized_formula(std::string_view text);

/// The values of --formula for --help: "mandelbrot, julia:RE,IM, ...".
const std::string& formula_choices();

/// Whether its steps can be computed as differences from a reference orbit.
bool can_be_deep(const Formula& formula);

/// The smallest R such that the orbit diverges from any point with |z| > R, rounding included
/// (docs/formulas.md). Above 2 for Julia sets only.
double escape_radius(const Formula& formula);

}  // namespace tessera::job
