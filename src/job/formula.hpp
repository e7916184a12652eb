// The formula whose orbits an image shows: one of the table kernels/pixel/formulas.h and its
// parameters.
#pragma once

#include <string>
#include <string_view>

#include "kernels/pixel/formulas.hpp"

namespace tessera::job {

struct Formula {
  kernels::TsFormula id = kernels::TS_FORMULA_mandelbrot;
  int degree = 2;          ///< of the power of z
  double constant_re = 0;  ///< c of all pixels, where the formula takes a constant
  double constant_im = 0;

  friend bool operator==(const Formula&, const Formula&) = default;
};

/// The least and the greatest power that may be asked for by number.
inline constexpr int kLeastDegree = 3;
inline constexpr int kGreatestDegree = 8;

/// "NAME" or "NAME:PARAMETER" as the table has it. Usage errors begin with `what` and say what
/// would be right.
Formula parse_formula(std::string_view text, std::string_view what);

/// The same for every spelling of the same formula: names as they are, numbers by
/// base::normalized_decimal().
std::string normalized_formula(std::string_view text);

/// What --formula takes, for --help: "mandelbrot, julia:RE,IM, ...".
const std::string& formula_choices();

/// The least R for which a point with |z| > R leaves for good, rounding included
/// (docs/formulas.md). Above 2 for Julia sets only.
double escape_radius(const Formula& formula);

}  // namespace tessera::job
