/* A step or jump of a pixel whose difference from the reference is below f64's range, with scaled
 * numbers. For pixels of f64 and of more bits, in the common subset of C++, CUDA C++ and OpenCL C.
 * Needs kernels/deep/advance.h and
 *
 *   TS_PHASE                        the type below
 *   tn_part_value(number, e)        number 2^e; 0 where it underflows
 *   TS_APART                        TS_FN, or for GPUs what keeps a function out of line: one that
 *                                   few pixels need, so that its registers are not those of the
 *                                   loop of the others. What all pixels share has an address. */

TS_OF_NUMBERS struct TsScaledPhase {
  TS_COMPLEX z;
  TS_COMPLEX c, plain_c; /* in the unit of the table; c itself */
  struct TsScaled error, contraction;
  TS_COMPLEX slope, up, step, plain_step; /* as TsDeepSlope; between pixels, as c and plain_c */
  TS_COMPLEX returned;                    /* the last z at m = 0, to detect cycles */
  struct TsScaled returned_error;         /* bound of its error */
};

/* The index of the scaled node of element m; scaled_count if there is none. */
TS_OF_NUMBERS TS_FN TS_U32 ts_find_scaled_node(const TS_JUMPS* jumps, TS_U64 m) {
  TS_U32 low = 0, high = jumps->scaled_count;
  while (low < high) {
    const TS_U32 middle = low + (high - low) / 2;
    if (jumps->scaled_nodes[middle].m < m) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < jumps->scaled_count && jumps->scaled_nodes[low].m == m) return low;
  return jumps->scaled_count;
}

/* Whether the scaled node has the real part of an element alone, and the next one the rest. */
TS_OF_NUMBERS TS_FN int ts_is_split(const TS_JUMPS* jumps, TS_U32 at) {
  return at + 1 < jumps->scaled_count && jumps->scaled_nodes[at + 1].m == jumps->scaled_nodes[at].m;
}

TS_OF_NUMBERS TS_FN TS_COMPLEX ts_scaled_reference(const TS_JUMPS* jumps, TS_U64 m) {
  const TS_U32 at = ts_find_scaled_node(jumps, m);
  if (at >= jumps->scaled_count) {
    return ts_normalized(tn_node_re(jumps->nodes[m]), tn_node_im(jumps->nodes[m]), 0);
  }
  if (ts_is_split(jumps, at)) {
    return ts_complex_plus(jumps->scaled_nodes[at].z, jumps->scaled_nodes[at + 1].z);
  }
  return jumps->scaled_nodes[at].z;
}

/* ts_absolute_difference() of scaled real numbers. */
TS_OF_NUMBERS TS_FN TS_COMPLEX ts_scaled_absolute_difference(TS_COMPLEX r, TS_COMPLEX d) {
  TS_COMPLEX size = r;
  size.re = ts_absolute(r.re);
  if (tn_leading(r.re) < 0.0) d.re = tn_neg(d.re);
  if (tn_leading(ts_complex_plus(size, d).re) >= 0.0) return d;
  size.e += 1;
  d = ts_complex_plus(size, d);
  d.re = tn_neg(d.re);
  return d;
}

/* Element m as two real numbers. A part far below the other one has its sign. */
TS_OF_NUMBERS TS_FN void ts_scaled_parts(const TS_JUMPS* jumps, TS_U64 m, TS_COMPLEX* re,
                                         TS_COMPLEX* im) {
  const TS_U32 at = ts_find_scaled_node(jumps, m);
  const TS_COMPLEX sum = ts_scaled_reference(jumps, m);
  const TS_NUMBER zero = TS_TO_NUMBER(0.0);
  *re = ts_normalized(sum.re, zero, sum.e);
  *im = ts_normalized(sum.im, zero, sum.e);
  if (at < jumps->scaled_count && ts_is_split(jumps, at)) {
    *re = jumps->scaled_nodes[at].z;
    *im = jumps->scaled_nodes[at + 1].z;
    im->re = im->im;
    im->im = zero;
  }
}

/* The differences of |Re| and |Im| at element m. */
TS_OF_NUMBERS TS_FN TS_COMPLEX ts_scaled_absolute_differences(const TS_JUMPS* jumps, TS_U64 m,
                                                              TS_COMPLEX z) {
  const TS_NUMBER zero = TS_TO_NUMBER(0.0);
  TS_COMPLEX re, im;
  ts_scaled_parts(jumps, m, &re, &im);
  re = ts_scaled_absolute_difference(re, ts_normalized(z.re, zero, z.e));
  im = ts_scaled_absolute_difference(im, ts_normalized(z.im, zero, z.e));
  im.im = im.re;
  im.re = zero;
  return ts_complex_plus(re, im);
}

/* ts_difference() with scaled numbers. The growth is that of any z within `doubt`. */
TS_OF_NUMBERS TS_FN TS_COMPLEX ts_scaled_difference(const TsDeepLimits* limits,
                                                    const TS_JUMPS* jumps, TS_U64 m, TS_COMPLEX z,
                                                    struct TsScaled doubt, struct TsScaled* growth,
                                                    struct TsScaled* spread) {
  const double degree = (double)limits->degree;
  const struct TsScaled z_size = ts_complex_size(z);
  TS_COMPLEX r = ts_scaled_reference(jumps, m), w, s, p;
  struct TsScaled size, most;
  TS_U32 k;
  if (limits->fold == TS_FOLD_ABSOLUTE) {
    z = ts_scaled_absolute_differences(jumps, m, z);
    r.re = ts_absolute(r.re);
    r.im = ts_absolute(r.im);
  } else if (limits->fold == TS_FOLD_CONJUGATE) {
    z.im = tn_neg(z.im);
    r.im = tn_neg(r.im);
  }
  w = ts_complex_plus(r, z);
  s = ts_complex_plus(w, r);
  p = r;
  size = ts_complex_size(w);
  most = ts_complex_size(r);
  if (ts_scaled_less(most, size)) most = size;
  size = ts_scaled_plus(size, doubt);
  *growth = ts_scaled_times(ts_scaled(degree, 0), size);
  *spread =
      ts_scaled_times(ts_scaled(4.0 * degree * (degree - 1.0), 0), ts_scaled_times(z_size, most));
  for (k = 2; k < limits->degree; ++k) {
    p = ts_complex_times(p, r);
    s = ts_complex_plus(ts_complex_times(s, w), p);
    *growth = ts_scaled_times(*growth, size);
    *spread = ts_scaled_times(*spread, most);
  }
  return ts_complex_times(z, s);
}

/* A number whose parts have these signs. */
TS_OF_NUMBERS TS_FN TS_COMPLEX ts_with_signs(TS_COMPLEX a, double sign_re, double sign_im) {
  if (sign_re < 0.0) a.re = tn_neg(a.re);
  if (sign_im < 0.0) a.im = tn_neg(a.im);
  return a;
}

/* ts_follow_step() with scaled numbers. */
TS_OF_NUMBERS TS_FN void ts_follow_scaled_step(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                               TS_U64 m, TS_PHASE* phase) {
  const TS_NUMBER zero = TS_TO_NUMBER(0.0);
  TS_COMPLEX re, im, w, p, up_step = phase->plain_step;
  double sign_re, sign_im;
  TS_U32 k;
  ts_scaled_parts(jumps, m, &re, &im);
  re = ts_complex_plus(re, ts_normalized(phase->z.re, zero, phase->z.e));
  im = ts_complex_plus(im, ts_normalized(phase->z.im, zero, phase->z.e));
  sign_re = ts_fold_sign(*limits, tn_leading(re.re), 0);
  sign_im = ts_fold_sign(*limits, tn_leading(im.re), 1);
  w = ts_complex_plus(ts_scaled_reference(jumps, m), phase->z);
  w = p = ts_with_signs(w, sign_re, sign_im);
  for (k = 2; k < limits->degree; ++k) p = ts_complex_times(p, w);
  p = ts_complex_times(p, ts_normalized(TS_TO_NUMBER((double)limits->degree), zero, 0));
  phase->slope = ts_with_signs(phase->slope, sign_re, sign_im);
  phase->slope = ts_complex_plus(ts_complex_times(p, phase->slope), phase->plain_step);
  if (limits->fold == TS_FOLD_NONE) return;
  up_step.im = up_step.re;
  up_step.re = zero;
  phase->up = ts_with_signs(phase->up, sign_re, sign_im);
  phase->up = ts_complex_plus(ts_complex_times(p, phase->up), up_step);
}

/* The slopes divided by 2^e. */
TS_OF_NUMBERS TS_FN void ts_read_slopes(const TS_PHASE* phase, TS_I64 e, TsDeepSlope* slope) {
  slope->re = tn_leading(tn_part_value(phase->slope.re, phase->slope.e - e));
  slope->im = tn_leading(tn_part_value(phase->slope.im, phase->slope.e - e));
  slope->up_re = tn_leading(tn_part_value(phase->up.re, phase->up.e - e));
  slope->up_im = tn_leading(tn_part_value(phase->up.im, phase->up.e - e));
}

TS_OF_NUMBERS TS_FN void ts_put_slopes(const TsDeepSlope slope, TS_I64 e, TS_PHASE* phase) {
  phase->slope = ts_normalized(TS_TO_NUMBER(slope.re), TS_TO_NUMBER(slope.im), e);
  phase->up = ts_normalized(TS_TO_NUMBER(slope.up_re), TS_TO_NUMBER(slope.up_im), e);
}

/* The longest jump from m with |t| = size. Returns 0 if there is none. */
TS_OF_NUMBERS TS_FN int ts_find_jump(const TS_JUMPS* jumps, TS_U64 m, struct TsScaled size,
                                     TS_SCALED_ENTRY* jump) {
  const TS_U32 at = ts_find_scaled_node(jumps, m);
  const struct TsScaled size2 = ts_scaled_times(size, size);
  TS_U32 level = at < jumps->scaled_count ? jumps->scaled_nodes[at].levels : 0;
  while (level > 0) {
    *jump = jumps->scaled_entries[jumps->scaled_nodes[at].first + --level];
    if (ts_scaled_less(size, jump->radius)) return 1;
  }
  for (level = ts_levels(jumps->nodes[m].levels_and_error); level > 0;) {
    const TS_ENTRY e = jumps->entries[jumps->nodes[m].first + --level];
    if (!ts_scaled_less(size2, ts_scaled(e.radius2, 0))) continue;
    jump->a = ts_normalized(e.a_re, e.a_im, 0);
    jump->q = ts_normalized(e.q_re, e.q_im, 0);
    jump->b = ts_normalized(e.b_re, e.b_im, 0);
    jump->length = e.length;
    return 1;
  }
  return 0;
}

TS_OF_NUMBERS TS_FN int ts_is_same(TS_COMPLEX a, TS_COMPLEX b) {
  const int is_zero = tn_leading(a.re) == 0.0 && tn_leading(a.im) == 0.0;
  return tn_equal(a.re, b.re) && tn_equal(a.im, b.im) && (is_zero || a.e == b.e);
}

/* Whether the pixel was at m = 0 with this z before. In the middle of a copy of the set it returns
 * after each period, to 0 or to a z that may be in f64's range again. */
TS_OF_NUMBERS TS_FN int ts_has_returned(const TsDeepLimits* limits, TS_COMPLEX z, TS_PHASE* phase,
                                        TS_PIXEL* pixel) {
  const TS_NUMBER x = tn_part_value(z.re, z.e), y = tn_part_value(z.im, z.e);
  const TS_COMPLEX last = phase->returned;
  const struct TsScaled last_error = phase->returned_error;
  const double error = ts_scaled_value(phase->error);
  phase->returned = z;
  phase->returned_error = phase->error;
  if (ts_abs(tn_leading(x)) < limits->small && ts_abs(tn_leading(y)) < limits->small) {
    return ts_is_same(z, last) &&
           !ts_scaled_less(ts_scaled_times(ts_scaled(TS_DEEP_SAME_ERROR, 0), last_error),
                           phase->error);
  }
  if (tn_equal(x, pixel->saved_x) && tn_equal(y, pixel->saved_y) &&
      error <= TS_DEEP_SAME_ERROR * pixel->saved_error) {
    return 1;
  }
  pixel->rebases += 1;
  if (pixel->rebases >= pixel->saved_next) {
    pixel->saved_x = x;
    pixel->saved_y = y;
    pixel->saved_error = error;
    pixel->saved_next = 2 * pixel->rebases;
  }
  return 0;
}

/* So small a z escapes only with the reference, unless that is as far from 0 as the bailout, or z
 * itself is not known well: in the middle of the image it is 0, and its error that of the
 * reference. A smooth value needs later steps, which are in f64's range. Returns TS_DEEP_SMALL if
 * the pixel goes on here, otherwise TS_DEEP_DONE or TS_DEEP_UNCERTAIN. */
TS_OF_NUMBERS TS_APART TS_U32 ts_test_scaled(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                             double rounding, TS_PHASE* phase, TS_PIXEL* pixel) {
  const TS_COMPLEX full = ts_complex_plus(ts_scaled_reference(jumps, pixel->m), phase->z);
  const double x = tn_leading(tn_part_value(full.re, full.e));
  const double y = tn_leading(tn_part_value(full.im, full.e));
  const double radius2 = ts_fma(x, x, y * y);
  if (pixel->count == limits->limit && limits->near >= 0.0) {
    const double size = ts_abs(x) + ts_abs(y);
    const double safe = TS_DEEP_SAFETY * ts_scaled_value(phase->error);
    if (safe > TS_DEEP_LARGEST_ERROR * (1.0 + size) ||
        ts_abs(radius2 - limits->bailout2) <= limits->near + safe * (size + limits->bailout)) {
      return TS_DEEP_UNCERTAIN;
    }
  }
  if (limits->want_smooth && pixel->smooth_radius2 == 0.0 && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
    ts_read_slopes(phase, 0, &pixel->slope);
    pixel->smooth_m = pixel->n;
    pixel->smooth_radius2 = radius2;
    pixel->smooth_x = x;
    pixel->smooth_y = y;
    pixel->smooth_slope2 =
        ts_slope2(*limits, x, y, radius2, pixel->slope, &pixel->smooth_right, &pixel->smooth_up);
  }
  if (radius2 > limits->bailout2) {
    if (pixel->count == limits->limit) pixel->count = pixel->n;
    if (!limits->want_smooth || pixel->smooth_radius2 != 0.0) return TS_DEEP_DONE;
  }
  if (ts_scaled_less(ts_complex_size(full), ts_complex_size(phase->z)) ||
      ts_orbit_ends(*limits, pixel->m)) {
    phase->z = full;
    phase->error = ts_scaled_plus(
        ts_scaled_plus(phase->error,
                       ts_scaled_element_error(jumps->nodes[pixel->m].levels_and_error)),
        ts_scaled_times(ts_scaled(2.0 * rounding, 0), ts_complex_size(full)));
    pixel->m = 0;
    if (pixel->count == limits->limit && ts_has_returned(limits, full, phase, pixel)) {
      return TS_DEEP_DONE;
    }
  }
  return TS_DEEP_SMALL;
}

/* A step or jump of kernels/deep/advance.h with scaled numbers. z may be smaller than its error, so
 * the bound has the square of that, too. Returns as ts_test_scaled(). */
TS_OF_NUMBERS TS_APART TS_U32 ts_scaled_step(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                             double rounding, TS_PHASE* phase, TS_PIXEL* pixel) {
  TS_COMPLEX w, t, v = phase->slope, next, bc = phase->plain_c, add = phase->plain_step;
  struct TsScaled growth, factor = ts_scaled(1.0, 0), error, added, spread = ts_scaled(0.0, 0);
  /* Where z is known to some bits, the square of its error is nothing. */
  const int is_known = ts_is_scaled_zero(phase->error) || phase->error.e < phase->z.e - 10;
  const struct TsScaled doubt = is_known ? ts_scaled(0.0, 0) : phase->error;
  TS_SCALED_ENTRY jump;
  TS_U64 length = 1;
  if (!limits->jumps) {
    next = ts_scaled_difference(limits, jumps, pixel->m, phase->z, doubt, &growth, &spread);
    error = ts_scaled_times(growth, phase->error);
    if (limits->want_distance) ts_follow_scaled_step(limits, jumps, pixel->m, phase);
  } else {
    w = ts_scaled_reference(jumps, pixel->m);
    w.e += 1;
    w = ts_complex_plus(w, phase->z);
    t = ts_complex_times(phase->z, w);
    v = ts_complex_plus(w, phase->z);
    growth = ts_complex_size(v);
    next = t;
    error = ts_scaled_times(ts_scaled_plus(growth, doubt), phase->error); /* of t */
    added = ts_complex_size(t);
    if (!is_known) added = ts_scaled_plus(added, error);
    if (ts_find_jump(jumps, pixel->m, added, &jump)) {
      const TS_COMPLEX qt = ts_complex_times(jump.q, t);
      const TS_COMPLEX f = ts_complex_plus(jump.a, qt);
      const TS_COMPLEX g = ts_complex_plus(f, qt);
      factor = ts_complex_size(g);
      if (is_known) {
        error = ts_scaled_times(factor, error);
      } else {
        error = ts_scaled_times(
            ts_scaled_plus(factor, ts_scaled_times(ts_complex_size(jump.q), error)), error);
      }
      if (limits->want_distance) {
        v = ts_complex_times(v, g);
        add = ts_complex_times(jump.b, phase->step);
      }
      bc = ts_complex_times(jump.b, phase->c);
      next = ts_complex_times(t, f);
      length = jump.length;
    }
  }
  /* A pixel that has escaped goes on to the smooth radius, beyond the limit if need be. */
  if (pixel->count == limits->limit && length >= limits->limit - pixel->n) return TS_DEEP_DONE;
  if (limits->want_distance && limits->jumps) {
    phase->slope = ts_complex_plus(ts_complex_times(v, phase->slope), add);
  }
  if (limits->want_interior) {
    /* A jump from the first z, which is 0, is one from z_1. */
    if (pixel->n != 0) factor = ts_scaled_times(growth, factor);
    phase->contraction = ts_scaled_times(phase->contraction, factor);
  }
  phase->z = ts_complex_plus(next, bc);
  added = ts_scaled_plus(ts_complex_size(phase->z), ts_complex_size(bc));
  if (!limits->jumps) added = ts_scaled_plus(added, spread);
  phase->error = ts_scaled_plus(error, ts_scaled_times(ts_scaled(2.0 * rounding, 0), added));
  pixel->m += length;
  pixel->n += length;
  {
    const TS_U32 state = ts_test_scaled(limits, jumps, rounding, phase, pixel);
    const int inside = limits->want_interior && pixel->count == limits->limit &&
                       ts_scaled_less(phase->contraction, ts_scaled(TS_DEEP_INSIDE, 0));
    return state == TS_DEEP_SMALL && inside ? TS_DEEP_DONE : state;
  }
}
