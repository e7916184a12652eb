/* The Julia set of a constant c: z^2 + c from the pixel on. */
TS_FN void ts_step_julia(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  ts_square_plus(x, y, c_re, c_im);
}

#define TS_TANGENTS_julia 1
TS_FN void ts_tangent_julia(TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v, TS_REAL a, TS_REAL b) {
  ts_times_plus(ts_add(x, x), ts_add(y, y), u, v, a, b);
}
