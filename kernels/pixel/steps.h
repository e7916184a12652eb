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

#define TS_TANGENT_ARGUMENTS_NONE x, y, u, v, a, b
#define TS_TANGENT_ARGUMENTS_CONSTANT x, y, u, v, a, b
#define TS_TANGENT_ARGUMENTS_DEGREE x, y, u, v, a, b, degree

#define TS_ARGUMENTS_NONE x, y, c_re, c_im
#define TS_ARGUMENTS_CONSTANT x, y, c_re, c_im
#define TS_ARGUMENTS_DEGREE x, y, c_re, c_im, degree

/* NOLINTBEGIN(bugprone-branch-clone): a row of the table each */

/* z = step(z), in place. */
TS_FN void ts_step(int formula, int degree, TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
    ts_step_##id(TS_ARGUMENTS_##parameter);              \
    break;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      break;
  }
}

/* The change of step(z) with a change u + iv of z, plus a + ib, in place of u + iv. */
TS_FN void ts_tangent(int formula, int degree, TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v,
                      TS_REAL a, TS_REAL b) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
    ts_tangent_##id(TS_TANGENT_ARGUMENTS_##parameter);   \
    break;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      break;
  }
}

/* The number of directions in which a change of the pixel is followed. */
TS_FN int ts_tangents_of(int formula) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
    return TS_TANGENTS_##id;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return 1;
  }
}

/* The fold of a formula: an enum TsFold. */
TS_FN int ts_fold_of(int formula) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
    return TS_FOLD_##fold;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return TS_FOLD_UNKNOWN;
  }
}

TS_FN TS_MASK ts_surely_inside(int formula, TS_REAL c_re, TS_REAL c_im) {
  switch (formula) {
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
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
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
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
#define TS_ROW(id, name, parameter, surely_inside, fold) \
  case TS_FORMULA_##id:                                  \
    return TS_PARAMETER_##parameter == TS_PARAMETER_DEGREE ? degree : 2;
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
    default:
      return 2;
  }
}

/* NOLINTEND(bugprone-branch-clone) */

/* z_n, and how it changes with the pixel: by right_u + i right_v if that moves to the right by its
 * width, and by up_u + i up_v if it moves up. An analytic formula needs the first only. */
typedef struct {
  TS_REAL x, y, right_u, right_v, up_u, up_v;
} TsMoving;

/* The start of an orbit: z_0 of a Julia set, or z_1 = c after z_0 = 0. */
TS_FN TsMoving ts_moving(TS_REAL x, TS_REAL y, double step) {
  TsMoving z;
  z.x = x;
  z.y = y;
  z.right_u = z.up_v = ts_real(step);
  z.right_v = z.up_u = ts_real(0.0);
  return z;
}

/* The next step of a pixel `step` wide. */
TS_FN void ts_move(int formula, int degree, TsMoving* z, TS_REAL c_re, TS_REAL c_im, double step) {
  const TS_REAL none = ts_real(0.0);
  const TS_REAL own = ts_starts_at_pixel(formula) ? none : ts_real(step);
  ts_tangent(formula, degree, z->x, z->y, &z->right_u, &z->right_v, own, none);
  if (ts_tangents_of(formula) == 2) {
    ts_tangent(formula, degree, z->x, z->y, &z->up_u, &z->up_v, none, own);
  }
  ts_step(formula, degree, &z->x, &z->y, c_re, c_im);
}

/* The slopes at z. Those in the plane, (p, q), become those in the picture by the matrix. */
TS_FN TsSlopes ts_slopes_of(int formula, const TsMoving z, int turned, const TsTurn turn) {
  const int analytic = ts_tangents_of(formula) == 1;
  const TS_REAL p = ts_fma(z.x, z.right_u, ts_mul(z.y, z.right_v));
  const TS_REAL q = analytic ? ts_fnma(z.x, z.right_v, ts_mul(z.y, z.right_u))
                             : ts_fma(z.x, z.up_u, ts_mul(z.y, z.up_v));
  TsSlopes slopes;
  slopes.right = p;
  slopes.up = q;
  if (turned) {
    slopes.right = ts_fma(ts_real(turn.a), p, ts_mul(ts_real(turn.c), q));
    slopes.up = ts_fma(ts_real(turn.b), p, ts_mul(ts_real(turn.d), q));
  }
  return slopes;
}

/* The distance of the pixel from the set, in pixels, from a z beyond 256 with radius2 = |z|^2. The
 * slope of |z| stands for |dz| where that depends on the direction. */
TS_FN TS_REAL ts_moving_distance(int formula, const TsMoving z, int turned, const TsTurn turn,
                                 TS_REAL radius2) {
  if (!turned && ts_tangents_of(formula) == 1) {
    return ts_distance_of(radius2, ts_radius2(z.right_u, z.right_v));
  }
  {
    const TsSlopes slopes = ts_slopes_of(formula, z, turned, turn);
    return ts_distance_of(radius2, ts_div(ts_radius2(slopes.right, slopes.up), radius2));
  }
}

/* |dz_n / dz_1|^2, or dz_0 for a Julia set, below which the derivative's test takes a pixel for
 * inside, if its orbit began as ts_moving(.., 1.0) and all steps were of width 0. */
#define TS_INSIDE_SLOPE2 0x1p-20
/* The test is made at multiples of TS_INTERIOR_STEPS from this n on. */
// crossed by: TheDerivativesTestOfTheInterior
#define TS_INTERIOR_STEPS 16
#define TS_FIRST_INTERIOR 32

/* Whether the derivative's test takes a pixel for inside. */
TS_FN TS_MASK ts_contracts(int formula, const TsMoving z) {
  TS_REAL slope2 = ts_radius2(z.right_u, z.right_v);
  if (ts_tangents_of(formula) == 2) slope2 = ts_add(slope2, ts_radius2(z.up_u, z.up_v));
  return ts_less(slope2, ts_real(TS_INSIDE_SLOPE2));
}
