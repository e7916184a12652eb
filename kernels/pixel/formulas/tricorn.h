/* The Tricorn: conj(z)^2 + c. W. D. Crowe, R. Hasson, P. J. Rippon, P. E. D. Strain-Clark, On the
 * structure of the Mandelbar set, Nonlinearity 2 (1989). */
TS_FN void ts_step_tricorn(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL t = ts_fnma(*y, *y, c_re);
  *y = ts_fnma(ts_add(*x, *x), *y, c_im);
  *x = ts_fma(*x, *x, t);
}

/* How a change u + iv of z changes the step: conj(2 z (u + iv)), plus a + ib. */
#define TS_TANGENTS_tricorn 2
TS_FN void ts_tangent_tricorn(TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v, TS_REAL a, TS_REAL b) {
  const TS_REAL twice_x = ts_add(x, x), twice_y = ts_add(y, y), old_u = *u;
  *u = ts_fma(twice_x, *u, ts_fnma(twice_y, *v, a));
  *v = ts_fnma(twice_x, *v, ts_fnma(twice_y, old_u, b));
}
