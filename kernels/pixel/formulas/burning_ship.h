/* The Burning Ship: (|Re z| + i |Im z|)^2 + c. M. Michelitsch, O. E. Roessler, The "Burning Ship"
 * and its quasi-Julia sets, Computers & Graphics 16 (1992). */
TS_FN void ts_step_burning_ship(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL t = ts_fnma(*y, *y, c_re);
  *y = ts_fma(ts_abs(ts_add(*x, *x)), ts_abs(*y), c_im);
  *x = ts_fma(*x, *x, t);
}
