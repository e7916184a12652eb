/* The steps and proofs of all formulas, selected by a TsFormula. Callers pass a constant, so that
 * the compiler removes the switches. Needs kernels/pixel/formulas.h and the definitions for
 * kernels/pixel/pixel_math.h; has no include guard either. */

#include "kernels/pixel/pixel_math.h"

/* The proof of a formula without one: false for all pixels. */
TS_FN TS_MASK ts_unproven(TS_REAL c_re, TS_REAL c_im) {
  return ts_both(ts_less(c_re, c_im), ts_less(c_im, c_re));
}

#include "kernels/pixel/formulas/burning_ship.h"
#include "kernels/pixel/formulas/julia.h"
#include "kernels/pixel/formulas/mandelbrot.h"
#include "kernels/pixel/formulas/multibrot.h"
#include "kernels/pixel/formulas/tricorn.h"

#define TS_ARGUMENTS_NONE x, y, c_re, c_im
#define TS_ARGUMENTS_CONSTANT x, y, c_re, c_im
#define TS_ARGUMENTS_DEGREE x, y, c_re, c_im, degree

/* NOLINTBEGIN(bugprone-branch-clone): a row of the table each */

/* z = step(z), in place. */
TS_FN void ts_step(int formula, int degree, TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside) \
  case TS_FORMULA_##id:                            \
    ts_step_##id(TS_ARGUMENTS_##parameter);        \
    break;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      break;
  }
}

TS_FN TS_MASK ts_surely_inside(int formula, TS_REAL c_re, TS_REAL c_im) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside) \
  case TS_FORMULA_##id:                            \
    return surely_inside(c_re, c_im);
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return ts_unproven(c_re, c_im);
  }
}

/* 1 if z_0 is the pixel and c is a constant; 0 if z_0 = 0 and c is the pixel. */
TS_FN int ts_starts_at_pixel(int formula) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside) \
  case TS_FORMULA_##id:                            \
    return TS_PARAMETER_##parameter == TS_PARAMETER_CONSTANT;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return 0;
  }
}

/* The degree: a compile-time constant, except for formulas with a degree parameter. */
TS_FN int ts_degree_of(int formula, int degree) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside) \
  case TS_FORMULA_##id:                            \
    return TS_PARAMETER_##parameter == TS_PARAMETER_DEGREE ? degree : 2;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return 2;
  }
}

/* NOLINTEND(bugprone-branch-clone) */
