/* The Mandelbrot set: z^2 + c. */
TS_FN void ts_step_mandelbrot(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  ts_square_plus(x, y, c_re, c_im);
}

/* |multiplier|^2 of the fixed point that attracts 0: below 1 inside the cardioid. The multiplier is
 * 1 - s with s = sqrt(1 - 4c), Re s > 0, so |1 - s|^2 = 1 + |1 - 4c| - 2 Re s. */
TS_FN TS_REAL ts_cardioid_multiplier2(TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL from_cusp = ts_sub(c_re, ts_real(0.25));
  const TS_REAL m = ts_mul(ts_real(4.0), ts_sqrt(ts_radius2(from_cusp, c_im)));
  const TS_REAL re_s2 = ts_mul(ts_real(0.5), ts_fnma(ts_real(4.0), from_cusp, m));
  return ts_fnma(ts_real(2.0), ts_sqrt(re_s2), ts_add(ts_real(1.0), m));
}

/* Below 0 inside the cardioid, without a square root; rounding blurs its edge. */
TS_FN TS_REAL ts_cardioid_test(TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL from_cusp = ts_sub(c_re, ts_real(0.25));
  const TS_REAL c_im2 = ts_mul(c_im, c_im);
  const TS_REAL q = ts_fma(from_cusp, from_cusp, c_im2);
  return ts_fnma(ts_real(0.25), c_im2, ts_mul(q, ts_add(q, from_cusp)));
}

/* |multiplier|^2 of the cycle of two: below 1 inside the disc around -1. */
TS_FN TS_REAL ts_disc_multiplier2(TS_REAL c_re, TS_REAL c_im) {
  return ts_mul(ts_real(16.0), ts_radius2(ts_add(c_re, ts_real(1.0)), c_im));
}

/* A multiplier below this |multiplier|^2 draws an orbit to its cycle far faster than rounding can
 * push it out, so the pixel cannot escape (docs/numerics.md). */
#define TS_SURELY_ATTRACTING 0.99999

TS_FN TS_MASK ts_in_cardioid_or_disc(TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL edge = ts_real(TS_SURELY_ATTRACTING);
  const TS_MASK disc = ts_less(ts_disc_multiplier2(c_re, c_im), edge);
  const TS_MASK perhaps = ts_less(ts_cardioid_test(c_re, c_im), ts_real(0.0));
  /* The two square roots only where they can matter. */
  if (ts_none(perhaps)) return disc;
  return ts_either(disc, ts_both(perhaps, ts_less(ts_cardioid_multiplier2(c_re, c_im), edge)));
}

/* Its derivative, 2 z, times u + iv, plus a + ib. */
#define TS_TANGENTS_mandelbrot 1
TS_FN void ts_tangent_mandelbrot(TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v, TS_REAL a,
                                 TS_REAL b) {
  ts_times_plus(ts_add(x, x), ts_add(y, y), u, v, a, b);
}
