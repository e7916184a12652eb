/* The Tricorn: conj(z)^2 + c. W. D. Crowe, R. Hasson, P. J. Rippon, P. E. D. Strain-Clark, On the
 * structure of the Mandelbar set, Nonlinearity 2 (1989). */
TS_FN void ts_step_tricorn(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL t = ts_fnma(*y, *y, c_re);
  *y = ts_fnma(ts_add(*x, *x), *y, c_im);
  *x = ts_fma(*x, *x, t);
}
