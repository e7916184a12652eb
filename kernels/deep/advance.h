/* The loop over a pixel's difference z from the reference orbit Z (src/deep/jump_table.hpp), while
 * |z| is within f64's range, for pixels of f64 and of more bits, in the common subset of C++, CUDA
 * C++ and OpenCL C. Needs kernels/deep/image.h, kernels/deep/jumps.h, kernels/deep/slopes.h,
 * kernels/deep/difference.h, TS_FN, TS_U32, TS_U64, TS_I64, ts_fma, ts_sqrt, ts_abs, and
 *
 *   TS_KEPT TS_PIXEL                the types below
 *   tn_node_re tn_node_im(node)     the element of the reference in a TS_NODE
 *   tn_above(z, radius2, bailout2)  |z|^2 - R^2, where f64 has |z|^2 = radius2
 *   tn_escapes(z, above, radius2, bailout2)
 *                                  whether |z| > R, with that as `above`; also if that is NaN: a
 *                                  step from within R has overflowed (docs/numerics-deep.md)
 *   tn_near(z)                      its error, relative to R^2 */

/* The state of a pixel that has paused below f64's range (kernels/deep/paused_phase.h) beside the
 * mantissas of its z, error and contraction: their exponents, its slopes, and the last z at m = 0.
 */
TS_OF_NUMBERS struct TsKeptPhase {
  TS_NUMBER slope_re, slope_im, up_re, up_im;
  TS_NUMBER returned_re, returned_im;
  double returned_error;
  TS_I64 z_e, error_e, slope_e, up_e, contraction_e, returned_e, returned_error_e;
};

/* The state of a pixel between two calls. */
TS_OF_NUMBERS struct TsPixelOf {
  TS_NUMBER x, y;               /* z, the difference from the reference */
  TS_NUMBER c_re, c_im;         /* in the unit of the table */
  TS_NUMBER plain_re, plain_im; /* c, or 0 where it underflows */
  TS_NUMBER saved_x, saved_y;   /* an earlier z at m = 0, to detect cycles: Brent (1980) */
  double error;                 /* bound of the error of z */
  double saved_error;           /* bound of that of the saved z */
  TS_U64 m;                     /* of the reference */
  TS_U64 n;                     /* iterations; Z_m + z was tested for all before */
  TS_U64 rebases, saved_next;
  double smooth_radius2;          /* |z_m|^2 at the first m beyond the smooth radius */
  double smooth_slope2;           /* |dz_m|^2 there */
  double smooth_right, smooth_up; /* the slopes of ts_slope2() */
  double smooth_x, smooth_y;      /* and z_m */
  TsDeepSlope slope;
  TS_U64 smooth_m;
  TS_U64 count;
  TS_U64 steps, scaled_steps;
  TS_KEPT kept;
  TS_U32 in_phase; /* whether `kept` is to be resumed */
  TS_U32 pixel;    /* the place in a launch, for GPUs */
};

#define TS_DEEP_DONE 0u      /* `count` is the count */
#define TS_DEEP_UNCERTAIN 1u /* rounding may have changed the count */
#define TS_DEEP_SMALL 2u     /* |z| < limits.small */
#define TS_DEEP_PAUSED 3u    /* the pixel has taken so many steps */

#define TS_DEEP_SMOOTH_RADIUS2 65536.0
/* 2^-53 times the roundings of a step, which add to z' and to B c. */
#define TS_DEEP_ROUNDING 0x1p-51
/* The error is at most so many times its bound (docs/numerics-deep.md). */
#define TS_DEEP_SAFETY 32.0
/* Relative error of |Z + z|^2 as f64 computes it, whatever the error of z; and with 106 bits. */
#define TS_DEEP_NEAR 0x1p-48
#define TS_PRECISE_NEAR 0x1p-98
/* A safe error bound, relative to |Z + z|, beyond which the orbit is not trusted: the square of an
 * error, which the bound leaves out, is far below it. */
#define TS_DEEP_LARGEST_ERROR 0.5
/* An orbit that returns to a z repeats itself for ever, unless its error grows: by more than this,
 * which is above the roundings of the bound. */
#define TS_DEEP_SAME_ERROR (1.0 + 0x1p-20)
/* |dz_n / dz_1| below which the derivative's test takes a pixel for inside. */
#define TS_DEEP_INSIDE 0x1p-10

/* Advances until the pixel is done, uncertain or small, or has taken `pause` steps. `has_jumps` is
 * limits.jumps as a constant. `rounding` of a step is relative to its result. */
TS_OF_NUMBERS TS_FN TS_U32 ts_deep_advance(const int has_jumps, const TsDeepLimits limits,
                                           const TS_JUMPS jumps, double rounding, TS_U64 pause,
                                           TS_PIXEL* pixel) {
  TS_PAIR z = ts_pair(pixel->x, pixel->y);
  double error = pixel->error;
  const TS_PAIR c = ts_pair(pixel->c_re, pixel->c_im);
  TS_U64 m = pixel->m;
  TS_U64 n = pixel->n, steps = pixel->steps;
  TS_U32 state = TS_DEEP_SMALL;
  TsDeepSlope slope = pixel->slope;
  int escaped = pixel->count != limits.limit;
  int smooth_found = !limits.want_smooth || pixel->smooth_radius2 != 0.0;
  TS_NODE node = jumps.nodes[m];
  for (;;) {
    const TS_PAIR ref = ts_pair(tn_node_re(node), tn_node_im(node));
    TS_PAIR bc = ts_pair(pixel->plain_re, pixel->plain_im);
    steps += 1;
    if (!has_jumps) {
      double growth, spread;
      const TS_PAIR t = ts_difference(limits, ref, z, 1.0, &growth, &spread);
      if (limits.want_distance) {
        const TS_PAIR full = ts_plus(ref, z);
        ts_follow_step(limits, tn_leading(full.re), tn_leading(full.im), limits.plain_slope,
                       &slope);
      }
      z = ts_plus(t, bc);
      m += 1;
      n += 1;
      error =
          ts_fma(growth, error, rounding * (spread + (ts_sum_of_parts(z) + ts_sum_of_parts(bc))));
    } else {
      const TS_PAIR w = ts_twice_plus(ref, z);
      const TS_PAIR t = ts_times(z, w);
      const double t_re = tn_leading(t.re), t_im = tn_leading(t.im);
      const double t2 = ts_square_size(t_re, t_im);
      /* |dz'/dz| = |a + 2 q t| |2 (Z + z)| */
      const double v_re = tn_leading(w.re) + tn_leading(z.re);
      const double v_im = tn_leading(w.im) + tn_leading(z.im);
      double growth2 = ts_square_size(v_re, v_im);
      if (t2 < node.radius2) {
        TS_U32 level = node.first + ts_levels(node.levels_and_error) - 1;
        while (!(t2 < jumps.entries[level].radius2)) --level;
        {
          const TS_ENTRY e = jumps.entries[level];
          const TS_PAIR q = ts_pair(e.q_re, e.q_im), b = ts_pair(e.b_re, e.b_im);
          const TS_PAIR f = ts_times_and_plus(q, t, ts_pair(e.a_re, e.a_im));
          const double q_re = tn_leading(q.re), q_im = tn_leading(q.im);
          const double g_re = ts_fma(q_re, t_re, ts_fma(-q_im, t_im, tn_leading(f.re)));
          const double g_im = ts_fma(q_re, t_im, ts_fma(q_im, t_re, tn_leading(f.im)));
          if (e.length >= limits.limit - n) {
            state = TS_DEEP_DONE;
            break;
          }
          if (limits.want_distance) {
            ts_deep_follow(g_re, g_im, v_re, v_im, tn_leading(b.re) * limits.slope_step,
                           tn_leading(b.im) * limits.slope_step, &slope);
          }
          growth2 *= ts_square_size(g_re, g_im);
          bc = ts_times(b, c);
          z = ts_times_and_plus(t, f, bc);
          m += e.length;
          n += e.length;
        }
      } else {
        if (limits.want_distance) {
          ts_deep_follow(1.0, 0.0, v_re, v_im, limits.plain_slope, 0.0, &slope);
        }
        z = ts_plus(t, bc);
        m += 1;
        n += 1;
      }
      if (limits.want_interior) slope.contraction *= ts_sqrt(growth2);
      error =
          ts_fma(ts_sqrt(growth2), error, rounding * (ts_sum_of_parts(z) + ts_sum_of_parts(bc)));
    }
    {
      node = jumps.nodes[m];
      const TS_PAIR full = ts_accurate_sum(ts_pair(tn_node_re(node), tn_node_im(node)), z);
      const double radius2 = ts_pair_size2(full);
      if (!smooth_found && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
        smooth_found = 1;
        pixel->smooth_m = n;
        pixel->smooth_radius2 = radius2;
        pixel->smooth_x = tn_leading(full.re);
        pixel->smooth_y = tn_leading(full.im);
        pixel->smooth_slope2 = ts_slope2(limits, pixel->smooth_x, pixel->smooth_y, radius2, slope,
                                         &pixel->smooth_right, &pixel->smooth_up);
      }
      if (!escaped) {
        if (n >= limits.limit) {
          state = TS_DEEP_DONE;
          break;
        }
        const double size = ts_sum_of_parts(full);
        const double safe = TS_DEEP_SAFETY * error;
        const double above = tn_above(full, radius2, limits.bailout2);
        if (safe > TS_DEEP_LARGEST_ERROR * size ||
            ts_abs(above) <= safe * (size + limits.bailout) ||
            ts_abs(above) <= tn_near(full) * limits.bailout2) {
          state = TS_DEEP_UNCERTAIN;
          break;
        }
        if (tn_escapes(full, above, radius2, limits.bailout2)) {
          pixel->count = n;
          escaped = 1;
        } else if (slope.contraction < limits.inside) {
          state = TS_DEEP_DONE;
          break;
        }
      }
      if (escaped && smooth_found) {
        state = TS_DEEP_DONE;
        break;
      }
      if (radius2 < ts_pair_size2(z) || ts_orbit_ends(limits, m)) {
        /* Z + z is rounded; Z may be larger than z at the end of the reference. z has been the
         * difference from the true Z, and becomes one from 0. */
        z = full;
        error =
            ts_fma(rounding, ts_sum_of_parts(z), error) + ts_element_error(node.levels_and_error);
        m = 0;
        node = jumps.nodes[0];
        if (!escaped) {
          if (tn_equal(z.re, pixel->saved_x) && tn_equal(z.im, pixel->saved_y) &&
              error <= TS_DEEP_SAME_ERROR * pixel->saved_error) {
            state = TS_DEEP_DONE;
            break;
          }
          pixel->rebases += 1;
          if (pixel->rebases >= pixel->saved_next) {
            pixel->saved_x = z.re;
            pixel->saved_y = z.im;
            pixel->saved_error = error;
            pixel->saved_next = 2 * pixel->rebases;
          }
        }
      }
      if (ts_abs(tn_leading(z.re)) < limits.small && ts_abs(tn_leading(z.im)) < limits.small) break;
      if (steps >= pause) {
        state = TS_DEEP_PAUSED;
        break;
      }
    }
  }
  pixel->x = z.re;
  pixel->y = z.im;
  pixel->error = error;
  pixel->slope = slope;
  pixel->m = m;
  pixel->n = n;
  pixel->steps = steps;
  return state;
}
