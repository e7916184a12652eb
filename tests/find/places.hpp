// Places to look at, for tests.
#pragma once

#include <string>

#include "find/search.hpp"

namespace tessera::find {

inline constexpr std::int64_t kBits = 400;

inline deep::Formula formula_of(const std::string& name) {
  deep::Formula formula;
  if (name == "tricorn") formula.id = kernels::TS_FORMULA_tricorn;
  if (name == "burning-ship") formula.id = kernels::TS_FORMULA_burning_ship;
  if (name.starts_with("multibrot:")) {
    formula.id = kernels::TS_FORMULA_multibrot;
    formula.degree = std::stoi(name.substr(name.find(':') + 1));
  }
  return formula;
}

inline Neighbourhood place_of(const std::string& re, const std::string& im,
                              const ScaledReal& radius, const std::string& formula = "") {
  Neighbourhood place;
  place.formula = formula_of(formula);
  place.re = re;
  place.im = im;
  place.radius = radius;
  return place;
}

}  // namespace tessera::find
