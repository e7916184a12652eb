/* How a pixel's z changes with the pixel, in the common subset of C++, CUDA C++ and OpenCL C: for
 * distances, and for the test of the interior. Needs kernels/pixel/formulas.h,
 * kernels/deep/image.h, TS_FN, TS_U32 and ts_fma. */

/* Derivatives of a pixel. */
typedef struct {
  double re, im;       /* of z, by the pixel to the right, times the distance of pixels */
  double up_re, up_im; /* by the pixel above, where the formula folds z; else that is i times it */
  double contraction;  /* |dz_n / dz_1| in the unit of the table */
} TsDeepSlope;

/* slope = w slope + add */
TS_FN void ts_slope_times(double w_re, double w_im, double add_re, double add_im, double* re,
                          double* im) {
  const double old_re = *re;
  *re = ts_fma(w_re, *re, ts_fma(-w_im, *im, add_re));
  *im = ts_fma(w_re, *im, ts_fma(w_im, old_re, add_im));
}

/* z' = (a + q t) t + b c with t = (2 Z + z) z, so dz' = g v dz + b dc with g = a + 2 q t and v = 2
 * (Z + z). */
TS_FN void ts_deep_follow(double g_re, double g_im, double v_re, double v_im, double add_re,
                          double add_im, TsDeepSlope* slope) {
  ts_slope_times(ts_fma(g_re, v_re, -(g_im * v_im)), ts_fma(g_re, v_im, g_im * v_re), add_re,
                 add_im, &slope->re, &slope->im);
}

/* -1 where a fold mirrors a part w of z, else 1. */
TS_FN double ts_fold_sign(const TsDeepLimits limits, double w, int is_im) {
  if (limits.fold == TS_FOLD_ABSOLUTE) return w < 0.0 ? -1.0 : 1.0;
  return limits.fold == TS_FOLD_CONJUGATE && is_im ? -1.0 : 1.0;
}

/* The same for a step of any formula, fold(w)^degree + c with w = Z + z, for pixels that are `step`
 * apart: dz' = degree fold(w)^(degree - 1) fold'(dz) + step. */
TS_FN void ts_follow_step(const TsDeepLimits limits, double w_re, double w_im, double step,
                          TsDeepSlope* slope) {
  const double sign_re = ts_fold_sign(limits, w_re, 0), sign_im = ts_fold_sign(limits, w_im, 1);
  const double z_re = sign_re * w_re, z_im = sign_im * w_im;
  double p_re = z_re, p_im = z_im;
  TS_U32 k;
  for (k = 2; k < limits.degree; ++k) {
    const double old_re = p_re;
    p_re = ts_fma(p_re, z_re, -(p_im * z_im));
    p_im = ts_fma(old_re, z_im, p_im * z_re);
  }
  p_re *= (double)limits.degree;
  p_im *= (double)limits.degree;
  slope->re *= sign_re;
  slope->im *= sign_im;
  ts_slope_times(p_re, p_im, step, 0.0, &slope->re, &slope->im);
  if (limits.fold == TS_FOLD_NONE) return;
  slope->up_re *= sign_re;
  slope->up_im *= sign_im;
  ts_slope_times(p_re, p_im, 0.0, step, &slope->up_re, &slope->up_im);
}

/* |dz|^2 at z = x + iy; where the formula folds, or the picture is turned, the square of the slope
 * of |z|. Sets what the pixels to the right and above add to |z|^2 / 2, as ts_slopes_of(). */
TS_FN double ts_slope2(const TsDeepLimits limits, double x, double y, double radius2,
                       const TsDeepSlope slope, double* right, double* up) {
  const int folds = limits.fold != TS_FOLD_NONE;
  const double p = ts_fma(x, slope.re, y * slope.im);
  const double q =
      folds ? ts_fma(x, slope.up_re, y * slope.up_im) : ts_fma(-x, slope.im, y * slope.re);
  *right = p;
  *up = q;
  if (limits.turned) {
    *right = ts_fma(limits.turn.a, p, limits.turn.c * q);
    *up = ts_fma(limits.turn.b, p, limits.turn.d * q);
  }
  if (!folds && !limits.turned) return ts_fma(slope.re, slope.re, slope.im * slope.im);
  return ts_fma(*right, *right, *up * *up) / radius2;
}
