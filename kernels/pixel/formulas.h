/* The table of formulas, in the common subset of C++, CUDA C++ and OpenCL C. docs/add-a-formula.md
 * explains how to add one, docs/formulas.md defines each one.
 *
 *   row(id, name, parameter, surely_inside)
 *
 * id             kernels/pixel/formulas/ID.h has its step, ts_step_ID
 * name           the name for --formula
 * parameter      the parameter after the name: NONE; CONSTANT, the c of all pixels, whose orbits
 *                then start at the pixel; DEGREE, a power from 3 to 8. Without DEGREE it is 2.
 * surely_inside  a function of c that proves that the orbit never escapes, or ts_unproven
 *
 * Every step satisfies |step(z) - c| = |z|^degree. The proofs in docs/formulas.md need this. */
/* clang-format off */
#define TS_FORMULAS(row)                                      \
  row(mandelbrot, "mandelbrot", NONE, ts_in_cardioid_or_disc) \
  row(julia, "julia", CONSTANT, ts_unproven)                  \
  row(burning_ship, "burning-ship", NONE, ts_unproven)        \
  row(tricorn, "tricorn", NONE, ts_unproven)                  \
  row(multibrot, "multibrot", DEGREE, ts_unproven)
/* clang-format on */

enum TsParameter { TS_PARAMETER_NONE, TS_PARAMETER_CONSTANT, TS_PARAMETER_DEGREE };

enum TsFormula {
#define TS_ROW(id, name, parameter, surely_inside) TS_FORMULA_##id,
  TS_FORMULAS(TS_ROW)
#undef TS_ROW
      TS_FORMULA_COUNT
};
