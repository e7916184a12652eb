// The formulas of deep images.
#pragma once

#include <string>

#include "deep/formula.hpp"

namespace tessera::deep {

inline Formula formula(kernels::TsFormula id, int degree = 2) {
  return {id, degree, {}, {}};
}
inline Formula julia(const std::string& re, const std::string& im) {
  return {kernels::TS_FORMULA_julia, 2, re, im};
}
inline Formula multibrot(int degree) {
  return formula(kernels::TS_FORMULA_multibrot, degree);
}
inline const Formula kShip = formula(kernels::TS_FORMULA_burning_ship);
inline const Formula kTricorn = formula(kernels::TS_FORMULA_tricorn);

}  // namespace tessera::deep
