// kernels/pixel/formulas.h for C++.
#pragma once

#include <array>
#include <string_view>

namespace tessera::kernels {

#include "kernels/pixel/formulas.h"

struct FormulaRow {
  std::string_view name;
  TsParameter parameter = TS_PARAMETER_NONE;
  TsFold fold = TS_FOLD_NONE;
};

/// Indexed by TsFormula.
inline constexpr std::array<FormulaRow, TS_FORMULA_COUNT> kFormulas = {{
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  {name, TS_PARAMETER_##parameter, TS_FOLD_##fold},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
}};

}  // namespace tessera::kernels
