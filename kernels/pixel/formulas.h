/* The table of formulas, in the common subset of C++, CUDA C++ and OpenCL C. docs/add-a-formula.md
 * explains how to add one, docs/formulas.md defines each one.
 *
 *   row(id, name, parameter, surely_inside, fold)
 *
 * id             kernels/pixel/formulas/ID.h has its step, ts_step_ID; ts_tangent_ID, how a change
 *                u + iv of z changes the step, plus a constant; and TS_TANGENTS_ID, the directions
 *                that `distance` follows: 1 for analytic steps, 2 for others
 * name           the name for --formula
 * parameter      the parameter after the name: NONE; CONSTANT, the c of all pixels, whose orbits
 *                then start at the pixel; DEGREE, a power from 3 to 8. Without DEGREE it is 2.
 * surely_inside  a function of c that proves that the orbit never escapes, or ts_unproven
 * fold           for deep images: the step is fold(z)^degree + c, with one of enum TsFold; UNKNOWN
 *                if it is not of this form, so that the formula has plain arithmetic only
 *
 * Every step satisfies |step(z) - c| = |z|^degree. The proofs in docs/formulas.md need this. */
/* clang-format off */
#define TS_FORMULAS(row)                                            \
  row(mandelbrot, "mandelbrot", NONE, ts_in_cardioid_or_disc, NONE) \
  row(julia, "julia", CONSTANT, ts_unproven, NONE)                  \
  row(burning_ship, "burning-ship", NONE, ts_unproven, ABSOLUTE)    \
  row(tricorn, "tricorn", NONE, ts_unproven, CONJUGATE)             \
  row(multibrot, "multibrot", DEGREE, ts_unproven, NONE)
/* clang-format on */

enum TsParameter { TS_PARAMETER_NONE, TS_PARAMETER_CONSTANT, TS_PARAMETER_DEGREE };

/* The change of z before the power: nothing, |Re z| + i |Im z|, or its conjugate. */
enum TsFold { TS_FOLD_NONE, TS_FOLD_ABSOLUTE, TS_FOLD_CONJUGATE, TS_FOLD_UNKNOWN };

/* The matrix of a picture that is turned, stretched or mirrored (docs/numerics.md): of a change by
 * one pixel to the right, (a, c), and up, (b, d), in steps. */
typedef struct {
  double a, b, c, d;
} TsTurn;

enum TsFormula {
#define TS_ROW(id, name, parameter, surely_inside, fold) TS_FORMULA_##id,
  TS_FORMULAS(TS_ROW)
#undef TS_ROW
      TS_FORMULA_COUNT
};
