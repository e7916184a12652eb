/* The Burning Ship: (|Re z| + i |Im z|)^2 + c. M. Michelitsch, O. E. Roessler, The "Burning Ship"
 * and its quasi-Julia sets, Computers & Graphics 16 (1992). */
TS_FN void ts_step_burning_ship(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL t = ts_fnma(*y, *y, c_re);
  *y = ts_fma(ts_abs(ts_add(*x, *x)), ts_abs(*y), c_im);
  *x = ts_fma(*x, *x, t);
}

/* How a change u + iv of z changes the step, plus a + ib: that of |2 x y| has the sign of x y. */
#define TS_TANGENTS_burning_ship 2
TS_FN void ts_tangent_burning_ship(TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v, TS_REAL a,
                                   TS_REAL b) {
  const TS_REAL twice_x = ts_add(x, x), twice_y = ts_add(y, y);
  const TS_REAL change = ts_fma(twice_x, *v, ts_mul(twice_y, *u));
  const TS_BITS sign =
      ts_bits_and(ts_bits_xor(ts_to_bits(x), ts_to_bits(y)), ts_bits(0x8000000000000000));
  *u = ts_fma(twice_x, *u, ts_fnma(twice_y, *v, a));
  *v = ts_add(ts_from_bits(ts_bits_xor(ts_to_bits(change), sign)), b);
}
