/* The loop of kernels/deep/advance.h with 190 bits, for z^2 + c from 0, in the common subset of
 * C++, CUDA C++ and OpenCL C. Without the derivative's test of the interior: jumps are enough for
 * so few pixels. Needs kernels/deep/wide.h, kernels/deep/jumps.h, kernels/deep/advance.h and
 * kernels/deep/slopes.h. */

/* What a jump drops, relative to what remains. */
#define TS_WIDE_EPSILON 0x1p-172
/* Relative error of a step. */
#define TS_WIDE_ROUNDING (4 * TS_WIDE_EPSILON)
/* Relative error of |Z + z|^2. */
#define TS_WIDE_NEAR 0x1p-170

/* An element of the reference orbit. Its entries are [first, first + levels). */
struct TsWideNode {
  struct TsWide z;
  TS_U32 first TS_DEFAULT(0);
  TS_U32 levels_and_error TS_DEFAULT(0); /* as in TsJumpNode */
};

/* A jump over `length` iterations: z' = t (a + q t) + b c for |t| < radius. */
struct TsWideEntry {
  struct TsScaled radius;
  struct TsWide a, q, b;
  TS_U64 length;
};

/* The state of a pixel between two calls. */
struct TsWidePixel {
  struct TsWide z, c;          /* z is the difference from the reference */
  struct TsWide step, slope;   /* for distances: what the pixel to the right adds to c, and to z */
  struct TsWide saved;         /* an earlier z at m = 0, to detect cycles: Brent (1980) */
  struct TsScaled error;       /* bound of the error of z */
  struct TsScaled saved_error; /* bound of that of the saved z */
  TS_U64 m;                    /* of the reference */
  TS_U64 n;                    /* iterations; Z_m + z was tested for all before */
  TS_U64 rebases TS_DEFAULT(0);
  TS_U64 saved_next TS_DEFAULT(1);
  TS_U64 count;
  TS_U64 smooth_m TS_DEFAULT(0);
  double smooth_radius2 TS_DEFAULT(0);
  double smooth_slope2 TS_DEFAULT(0);
  double smooth_right TS_DEFAULT(0);
  double smooth_up TS_DEFAULT(0);
  double smooth_x TS_DEFAULT(0);
  double smooth_y TS_DEFAULT(0);
  TS_U64 steps TS_DEFAULT(0);
  TS_U32 pixel TS_DEFAULT(0); /* the place in a launch, for GPUs */
  TS_U32 unused TS_DEFAULT(0);
};

/* The longest jump from a node with |t| = size: its place, or that before `first` if there is none.
 */
TS_FN TS_U32 ts_wide_jump(TS_GLOBAL const struct TsWideEntry* entries, TS_U32 first, TS_U32 levels,
                          struct TsScaled size) {
  TS_U32 at = first + levels;
  while (at > first && !ts_scaled_less(size, entries[at - 1].radius)) --at;
  return at - 1;
}

/* False if no step remains to be tested before the limit. */
TS_FN int ts_wide_step(const TsDeepLimits* limits, TS_GLOBAL const struct TsWideNode* nodes,
                       TS_GLOBAL const struct TsWideEntry* entries, struct TsWidePixel* pixel) {
  const struct TsWide reference = nodes[pixel->m].z;
  const TS_U32 first = nodes[pixel->m].first;
  const TS_U32 levels = ts_levels(nodes[pixel->m].levels_and_error);
  const int escaped = pixel->count != limits->limit;
  const struct TsWide w = ts_wide_plus(ts_wide_twice(reference), pixel->z);
  const struct TsWide t = ts_wide_times(pixel->z, w);
  /* w + z is 2 (Z + z), which is no smaller than 2 z: else the pixel had begun again. */
  struct TsScaled error =
      ts_scaled_times(ts_scaled_plus(ts_wide_size_of_sum(w, pixel->z), pixel->error), pixel->error);
  struct TsWide bc = pixel->c, next = t;
  const TS_U32 at = ts_wide_jump(entries, first, levels, ts_scaled_plus(ts_wide_size(t), error));
  TS_U64 length = 1;
  pixel->steps += 1;
  if (at + 1 != first) {
    const struct TsWide q = entries[at].q, b = entries[at].b;
    const struct TsWide qt = ts_wide_times(q, t);
    const struct TsWide f = ts_wide_plus(entries[at].a, qt);
    length = entries[at].length;
    if (!escaped && length >= limits->limit - pixel->n) return 0;
    error = ts_scaled_times(
        ts_scaled_plus(ts_wide_size_of_sum(f, qt), ts_scaled_times(ts_wide_bound(q), error)),
        error);
    bc = ts_wide_times(b, pixel->c);
    if (limits->want_distance) {
      const struct TsWide slope = ts_wide_times(ts_wide_plus(w, pixel->z), ts_wide_plus(f, qt));
      pixel->slope =
          ts_wide_plus(ts_wide_times(slope, pixel->slope), ts_wide_times(b, pixel->step));
    }
    next = ts_wide_times(t, f);
  } else if (limits->want_distance) {
    pixel->slope =
        ts_wide_plus(ts_wide_times(ts_wide_plus(w, pixel->z), pixel->slope), pixel->step);
  }
  pixel->z = ts_wide_plus(next, bc);
  pixel->m += length;
  pixel->n += length;
  { /* Elements with errors multiply z, too. */
    const struct TsScaled rounding =
        ts_scaled_plus(ts_scaled(2 * TS_WIDE_ROUNDING, 0),
                       ts_scaled_times(ts_scaled(2.0, 0),
                                       ts_scaled_element_error(nodes[pixel->m].levels_and_error)));
    pixel->error = ts_scaled_plus(
        error,
        ts_scaled_times(rounding, ts_scaled_plus(ts_wide_bound(pixel->z), ts_wide_bound(bc))));
  }
  return escaped || pixel->n < limits->limit;
}

/* |z|^2 - R^2, also where f64 cannot tell. */
TS_FN double ts_wide_above(struct TsWide z, double radius2, double bailout2) {
  const double rough = radius2 - bailout2;
  if (ts_abs(rough) > 1e-9 * bailout2) return rough;
  return ts_wide_re(ts_wide_plus(ts_wide_times(z, ts_wide_conjugate(z)), ts_wide_from(-bailout2)));
}

/* z = full becomes the difference from the orbit of 0. */
TS_FN TS_U32 ts_wide_begin_again(const TsDeepLimits* limits, struct TsWide full,
                                 struct TsScaled element_error, struct TsWidePixel* pixel) {
  pixel->z = full;
  pixel->error =
      ts_scaled_plus(ts_scaled_plus(pixel->error, element_error),
                     ts_scaled_times(ts_scaled(2 * TS_WIDE_ROUNDING, 0), ts_wide_size(full)));
  pixel->m = 0;
  if (pixel->count != limits->limit) return TS_DEEP_PAUSED;
  if (ts_wide_equal(full, pixel->saved) &&
      !ts_scaled_less(ts_scaled_times(pixel->saved_error, ts_scaled(TS_DEEP_SAME_ERROR, 0)),
                      pixel->error)) {
    return TS_DEEP_DONE;
  }
  pixel->rebases += 1;
  if (pixel->rebases >= pixel->saved_next) {
    pixel->saved = full;
    pixel->saved_error = pixel->error;
    pixel->saved_next = 2 * pixel->rebases;
  }
  return TS_DEEP_PAUSED;
}

/* The first z beyond the smooth radius. */
TS_FN void ts_wide_note_smooth(const TsDeepLimits* limits, struct TsWide z,
                               struct TsWidePixel* pixel) {
  const double x = ts_wide_re(z), y = ts_wide_im(z);
  TsDeepSlope slope;
  slope.re = ts_wide_re(pixel->slope);
  slope.im = ts_wide_im(pixel->slope);
  slope.up_re = slope.up_im = slope.contraction = 0.0;
  pixel->smooth_m = pixel->n;
  pixel->smooth_x = x;
  pixel->smooth_y = y;
  pixel->smooth_radius2 = ts_fma(x, x, y * y);
  pixel->smooth_slope2 = ts_slope2(*limits, x, y, pixel->smooth_radius2, slope,
                                   &pixel->smooth_right, &pixel->smooth_up);
}

/* After a step: TS_DEEP_PAUSED if the pixel goes on. */
TS_FN TS_U32 ts_wide_test(const TsDeepLimits* limits, TS_GLOBAL const struct TsWideNode* nodes,
                          struct TsWidePixel* pixel) {
  const struct TsWide full = ts_wide_plus(nodes[pixel->m].z, pixel->z);
  const struct TsScaled size2 = ts_wide_size2(full);
  const double radius2 = ts_scaled_value(size2);
  if (pixel->smooth_m == 0 && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
    ts_wide_note_smooth(limits, full, pixel);
  }
  if (pixel->count == limits->limit) {
    const double size = ts_scaled_value(ts_wide_bound(full));
    const double safe =
        TS_DEEP_SAFETY *
        ts_scaled_value(ts_scaled_plus(pixel->error,
                                       ts_scaled_element_error(nodes[pixel->m].levels_and_error)));
    const double above = ts_wide_above(full, radius2, limits->bailout2);
    if (safe > TS_DEEP_LARGEST_ERROR * (1 + size) ||
        ts_abs(above) <= safe * (size + limits->bailout) ||
        ts_abs(above) <= TS_WIDE_NEAR * limits->bailout2) {
      return TS_DEEP_UNCERTAIN;
    }
    if (above > 0) pixel->count = pixel->n;
  }
  if (pixel->count != limits->limit && (!limits->want_smooth || pixel->smooth_m != 0)) {
    return TS_DEEP_DONE;
  }
  if (!ts_scaled_less(size2, ts_wide_size2(pixel->z)) && pixel->m < limits->last) {
    return TS_DEEP_PAUSED;
  }
  return ts_wide_begin_again(limits, full,
                             ts_scaled_element_error(nodes[pixel->m].levels_and_error), pixel);
}

/* Advances until the pixel is done or uncertain, or has taken `cut` more steps: TS_DEEP_PAUSED. */
TS_FN TS_U32 ts_wide_advance(const TsDeepLimits* limits, TS_GLOBAL const struct TsWideNode* nodes,
                             TS_GLOBAL const struct TsWideEntry* entries, TS_U64 cut,
                             struct TsWidePixel* pixel) {
  TS_U32 state = TS_DEEP_PAUSED;
  for (; state == TS_DEEP_PAUSED && cut > 0; --cut) {
    state = ts_wide_step(limits, nodes, entries, pixel) ? ts_wide_test(limits, nodes, pixel)
                                                        : TS_DEEP_DONE;
  }
  return state;
}
