/* A step of any formula as a difference: t = f(Z + z) - f(Z), where f is a fold and a power
 * (kernels/pixel/formulas.h), without cancellation. In the common subset of C++, CUDA C++ and
 * OpenCL C. Needs kernels/pixel/formulas.h, and image.h, pairs.h and slopes.h of kernels/deep, and
 *
 *   tn_absolute_difference(r, d, scale)    ts_absolute_difference() of numbers of more bits, whose
 *                                          scale is 1; ts_scaled_difference_of() of f64 */

/* Steps from z = scale (x + iy) with a scale far below f64's range (kernels/deep/quiet_steps.h):
 * what they have in common, and where they are. c, the error, the distance of pixels `step`, and
 * the slope are divided by the scale, too. */
typedef struct {
  double scale, rounding, c_re, c_im, step;
} TsQuiet;

typedef struct {
  double x, y, error;
  TsDeepSlope slope;
} TsQuietPoint;

/* Whether a pixel has to leave the element m of the reference: the last one of its orbit. */
TS_FN int ts_orbit_ends(const TsDeepLimits limits, TS_U64 m) {
  return m >= limits.last || m + 1 == limits.first;
}

/* (Z + z)^d - Z^d = z (W^(d-1) + W^(d-2) Z + ... + Z^(d-1)) with W = Z + z, for z times `scale`, a
 * power of two: 1 for numbers of more bits than f64. Returns t divided by the scale; growth =
 * |dt/dz|; spread, a bound of the sizes of the terms of t, whose roundings are those of t, divided
 * likewise. */
TS_OF_NUMBERS TS_FN TS_PAIR ts_difference(const TsDeepLimits limits, TS_PAIR ref, TS_PAIR z,
                                          const double scale, double* growth, double* spread) {
  const double one_norm = ts_sum_of_parts(z);
  TS_PAIR s;
  if (limits.fold == TS_FOLD_ABSOLUTE) {
    z = ts_pair(tn_absolute_difference(ref.re, z.re, scale),
                tn_absolute_difference(ref.im, z.im, scale));
    ref = ts_pair(ts_absolute(ref.re), ts_absolute(ref.im));
  } else if (limits.fold == TS_FOLD_CONJUGATE) {
    z.im = tn_neg(z.im);
    ref.im = tn_neg(ref.im);
  }
  if (limits.degree == 2) {
    const TS_PAIR whole = ts_scaled_pair(z, scale);
    s = ts_twice_plus(ref, whole);
    *growth = ts_sqrt(ts_pair_size2(ts_plus(s, whole)));
    *spread = one_norm * ts_sum_of_parts(s);
  } else {
    const TS_PAIR w = ts_plus(ref, ts_scaled_pair(z, scale));
    const double size = ts_sqrt(ts_pair_size2(w));
    const double ref_size = ts_sqrt(ts_pair_size2(ref));
    const double most = size < ref_size ? ref_size : size;
    const double degree = (double)limits.degree;
    TS_PAIR p = ref;
    TS_U32 k;
    s = ts_plus(w, ref);
    *growth = degree * size;
    *spread = 2.0 * degree * (degree - 1.0) * one_norm * most;
    for (k = 2; k < limits.degree; ++k) {
      p = ts_times(p, ref);
      s = ts_times_and_plus(s, w, p);
      *growth *= size;
      *spread *= most;
    }
  }
  return ts_times(z, s);
}
