/* A step of any formula as a difference: t = f(Z + z) - f(Z), where f is a fold and a power
 * (kernels/pixel/formulas.h), without cancellation. In the common subset of C++, CUDA C++ and
 * OpenCL C. Needs kernels/pixel/formulas.h, kernels/deep/image.h, what kernels/deep/scaled.h needs,
 * and tn_neg(a) = -a. */

/* Whether a pixel has to leave the element m of the reference: the last one of its orbit. */
TS_FN int ts_orbit_ends(const TsDeepLimits limits, TS_U64 m) {
  return m >= limits.last || m + 1 == limits.first;
}

TS_OF_NUMBERS TS_FN TS_NUMBER ts_absolute(TS_NUMBER r) {
  return tn_leading(r) < 0.0 ? tn_neg(r) : r;
}

/* |r + d| - |r|. Both cases are continued by each other, so that rounding may choose either. */
TS_OF_NUMBERS TS_FN TS_NUMBER ts_absolute_difference(TS_NUMBER r, TS_NUMBER d) {
  const TS_NUMBER size = ts_absolute(r);
  const TS_NUMBER along = tn_leading(r) < 0.0 ? tn_neg(d) : d;
  if (tn_leading(tn_add(size, along)) >= 0.0) return along;
  return tn_neg(tn_add(tn_add(size, size), along));
}

/* The same of scale d, divided by the scale. */
TS_FN double ts_scaled_difference_of(double r, double d, double scale) {
  const double size = ts_abs(r), along = r < 0.0 ? -d : d;
  if (size + scale * along >= 0.0) return along;
  return -((size + size) / scale + along);
}

typedef struct {
  double re, im; /* t */
  double growth; /* |dt/dz| */
  double spread; /* bound of the sizes of the terms of t, whose roundings are those of t */
} TsDifference;

/* (Z + z)^d - Z^d = z (W^(d-1) + W^(d-2) Z + ... + Z^(d-1)) with W = Z + z, for z = scale (x + iy).
 * t and its spread are divided by the scale, a power of two. */
TS_FN TsDifference ts_difference(const TsDeepLimits limits, double ref_re, double ref_im, double x,
                                 double y, const double scale) {
  const double one_norm = ts_abs(x) + ts_abs(y);
  TsDifference t;
  if (limits.fold == TS_FOLD_ABSOLUTE) {
    x = ts_scaled_difference_of(ref_re, x, scale);
    y = ts_scaled_difference_of(ref_im, y, scale);
    ref_re = ts_abs(ref_re);
    ref_im = ts_abs(ref_im);
  } else if (limits.fold == TS_FOLD_CONJUGATE) {
    y = -y;
    ref_im = -ref_im;
  }
  if (limits.degree == 2) {
    const double s_re = ts_fma(2.0, ref_re, scale * x), s_im = ts_fma(2.0, ref_im, scale * y);
    const double v_re = s_re + scale * x, v_im = s_im + scale * y;
    t.re = ts_fma(x, s_re, -(y * s_im));
    t.im = ts_fma(x, s_im, y * s_re);
    t.growth = ts_sqrt(ts_fma(v_re, v_re, v_im * v_im));
    t.spread = one_norm * (ts_abs(s_re) + ts_abs(s_im));
  } else {
    const double w_re = ref_re + scale * x, w_im = ref_im + scale * y;
    const double size = ts_sqrt(ts_fma(w_re, w_re, w_im * w_im));
    const double ref_size = ts_sqrt(ts_fma(ref_re, ref_re, ref_im * ref_im));
    const double most = size < ref_size ? ref_size : size;
    const double degree = (double)limits.degree;
    double s_re = w_re + ref_re, s_im = w_im + ref_im, p_re = ref_re, p_im = ref_im;
    TS_U32 k;
    t.growth = degree * size;
    t.spread = 2.0 * degree * (degree - 1.0) * one_norm * most;
    for (k = 2; k < limits.degree; ++k) {
      const double q_re = ts_fma(p_re, ref_re, -(p_im * ref_im));
      const double q_im = ts_fma(p_re, ref_im, p_im * ref_re);
      const double old_re = s_re;
      s_re = ts_fma(s_re, w_re, ts_fma(-s_im, w_im, q_re));
      s_im = ts_fma(old_re, w_im, ts_fma(s_im, w_re, q_im));
      p_re = q_re;
      p_im = q_im;
      t.growth *= size;
      t.spread *= most;
    }
    t.re = ts_fma(x, s_re, -(y * s_im));
    t.im = ts_fma(x, s_im, y * s_re);
  }
  return t;
}

/* Whether |Z| and |Re Z|, |Im Z| are far from 0 and from the bailout. */
TS_FN int ts_is_quiet(const TsDeepLimits limits, const struct TsJumpNode node) {
  const double radius2 = ts_fma(node.re, node.re, node.im * node.im);
  const double least = limits.small * 0x1p90;
  if (!(radius2 > least * least && radius2 < 0.99 * limits.bailout2)) return 0;
  return limits.fold != TS_FOLD_ABSOLUTE ||
         (ts_abs(node.re) > 0x1p-380 && ts_abs(node.im) > 0x1p-380);
}

/* Takes steps from z = scale (x + iy) with scale < limits.small, as long as no test could tell
 * anything: at most `most`, while z stays within 2^60 of the scale, and its error far below |Z|. c,
 * the error, the distance of pixels `step` and the slope are divided by the scale, too. Returns how
 * many. */
TS_FN TS_U32 ts_quiet_steps(const TsDeepLimits limits, TS_GLOBAL const struct TsJumpNode* nodes,
                            TS_U32 most, double scale, double rounding, double c_re, double c_im,
                            double step, double* x, double* y, double* error, TsDeepSlope* slope) {
  TS_U32 steps = 0;
  while (steps < most && *error * scale < limits.small * 0x1p60 &&
         ts_is_quiet(limits, nodes[steps]) && ts_is_quiet(limits, nodes[steps + 1])) {
    const double ref_re = nodes[steps].re, ref_im = nodes[steps].im;
    const TsDifference t = ts_difference(limits, ref_re, ref_im, *x, *y, scale);
    double largest;
    if (limits.want_distance) {
      ts_follow_step(limits, ref_re + scale * *x, ref_im + scale * *y, step, slope);
    }
    *x = t.re + c_re;
    *y = t.im + c_im;
    *error =
        ts_fma(t.growth, *error,
               rounding * (t.spread + ((ts_abs(*x) + ts_abs(*y)) + (ts_abs(c_re) + ts_abs(c_im)))));
    steps += 1;
    largest = ts_abs(*x) < ts_abs(*y) ? ts_abs(*y) : ts_abs(*x);
    if (!(largest > 0x1p-60 && largest < 0x1p60)) break;
  }
  return steps;
}
