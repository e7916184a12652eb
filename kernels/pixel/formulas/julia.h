/* The Julia set of a constant c: z^2 + c from the pixel on. */
TS_FN void ts_step_julia(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  ts_square_plus(x, y, c_re, c_im);
}
