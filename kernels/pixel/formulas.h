/* The table of formulas, in the subset that C++, CUDA C++ and OpenCL C share. docs/add-a-formula.md
 * says what a new one takes, docs/formulas.md what each one is.
 *
 *   row(id, name, parameter, surely_inside)
 *
 * id             kernels/pixel/formulas/ID.h has its step, ts_step_ID
 * name           as --formula takes it
 * parameter      what follows the name: NONE; CONSTANT, the c of all pixels, whose orbits start at
 *                the pixel itself; DEGREE, a power from 3 to 8. Without DEGREE the degree is 2.
 * surely_inside  the proof that a pixel never leaves, a function of its c, or ts_unproven
 *
 * Every step obeys |step(z) - c| = |z|^degree, on which the proofs in docs/formulas.md rest. */
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
