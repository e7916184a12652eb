/* The Multibrot sets: z^degree + c. The power goes by squaring, from the second binary digit of the
 * degree down: w = w^2, and w = wz where the digit is 1. The last operation adds c. */
TS_FN void ts_step_multibrot(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im, int degree) {
  TS_REAL u = *x;
  TS_REAL v = *y; /* w = u + iv */
  int digit = degree >= 8 ? 4 : degree >= 4 ? 2 : 1;
  for (; digit > 1; digit >>= 1) {
    ts_square(&u, &v);
    if ((degree & digit) != 0) {
      const TS_REAL old_u = u;
      const TS_REAL ux = ts_mul(u, *x);
      const TS_REAL vx = ts_mul(v, *x);
      u = ts_fnma(v, *y, ux);
      v = ts_fma(old_u, *y, vx);
    }
  }
  if ((degree & 1) != 0) {
    ts_square(&u, &v);
    const TS_REAL s = ts_fnma(v, *y, c_re);
    const TS_REAL t = ts_fma(v, *x, c_im);
    *y = ts_fma(u, *y, t);
    *x = ts_fma(u, *x, s);
  } else {
    ts_square_plus(&u, &v, c_re, c_im);
    *x = u;
    *y = v;
  }
}

/* Its derivative, degree z^(degree - 1), times u + iv, plus a + ib. */
#define TS_TANGENTS_multibrot 1
TS_FN void ts_tangent_multibrot(TS_REAL x, TS_REAL y, TS_REAL* u, TS_REAL* v, TS_REAL a, TS_REAL b,
                                int degree) {
  TS_REAL w_re = x, w_im = y;
  int digit = degree - 1 >= 4 ? 2 : 1;
  for (; digit > 0; digit >>= 1) {
    ts_square(&w_re, &w_im);
    if (((degree - 1) & digit) != 0) {
      const TS_REAL old_re = w_re;
      w_re = ts_fnma(w_im, y, ts_mul(w_re, x));
      w_im = ts_fma(old_re, y, ts_mul(w_im, x));
    }
  }
  w_re = ts_mul(ts_real((double)degree), w_re);
  w_im = ts_mul(ts_real((double)degree), w_im);
  ts_times_plus(w_re, w_im, u, v, a, b);
}
