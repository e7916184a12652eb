// The formula of a deep image.
#pragma once

#include <string>

#include "kernels/pixel/formulas.hpp"

namespace tessera::deep {

/// A step is fold(z)^degree + c. Orbits start at 0 and c is the pixel, but for a formula with a
/// constant: orbits start at the pixel, and c is the constant.
struct Formula {
  kernels::TsFormula id = kernels::TS_FORMULA_mandelbrot;
  int degree = 2;
  std::string constant_re, constant_im;  ///< decimals of any length

  kernels::TsFold fold() const { return kernels::kFormulas[id].fold; }
  bool has_constant() const {
    return kernels::kFormulas[id].parameter == kernels::TS_PARAMETER_CONSTANT;
  }
  bool is_mandelbrot() const { return id == kernels::TS_FORMULA_mandelbrot; }
  bool has_jumps() const { return fold() == kernels::TS_FOLD_NONE && degree == 2; }

  friend bool operator==(const Formula&, const Formula&) = default;
};

}  // namespace tessera::deep
