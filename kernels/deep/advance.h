/* The loop over a pixel's difference z from the reference orbit Z (src/deep/jump_table.hpp), while
 * |z| is within f64's range, in the common subset of C++, CUDA C++ and OpenCL C. Needs
 * kernels/deep/image.h, kernels/deep/jumps.h, kernels/deep/slopes.h, kernels/deep/difference.h,
 * TS_FN, TS_U32, TS_U64, TS_I64, ts_fma, ts_sqrt and ts_abs. */

/* What a pixel that has paused below f64's range (kernels/deep/paused_phase.h) has beside its
 * mantissas: their exponents, and the last z at m = 0. */
typedef struct {
  TS_I64 z_e, error_e, slope_e, up_e, contraction_e, returned_e, returned_error_e;
  double returned_re, returned_im, returned_error;
} TsKeptPhase;

/* The state of a pixel between two calls. */
typedef struct {
  double x, y;               /* z, the difference from the reference */
  double error;              /* bound of the error of z */
  double c_re, c_im;         /* in the unit of the table */
  double plain_re, plain_im; /* c, or 0 where it underflows */
  double saved_x, saved_y;   /* an earlier z at m = 0, to detect cycles: Brent (1980) */
  double saved_error;        /* bound of its error */
  TS_U64 m;                  /* of the reference */
  TS_U64 n;                  /* iterations; Z_m + z was tested for all before */
  TS_U64 rebases, saved_next;
  double smooth_radius2; /* |z_m|^2 at the first m beyond the smooth radius */
  double smooth_slope2;  /* |dz_m|^2 there */
  TsDeepSlope slope;
  TS_U64 smooth_m;
  TS_U64 count;
  TS_U64 steps, scaled_steps;
  TsKeptPhase kept;
  TS_U32 in_phase; /* whether `kept` is to be resumed */
  TS_U32 pixel;    /* of the launch: row * width + column; for GPUs */
} TsDeepPixel;

#define TS_DEEP_DONE 0u      /* `count` is the count */
#define TS_DEEP_UNCERTAIN 1u /* rounding may have changed the count */
#define TS_DEEP_SMALL 2u     /* |z| < limits.small */
#define TS_DEEP_PAUSED 3u    /* the pixel has taken so many steps */

#define TS_DEEP_SMOOTH_RADIUS2 65536.0
/* 2^-53 times the roundings of a step, which add to z' and to B c. */
#define TS_DEEP_ROUNDING 0x1p-51
/* The error is at most so many times its bound (docs/numerics.md). */
#define TS_DEEP_SAFETY 32.0
/* Relative error of |Z + z|^2 as f64 computes it, whatever the error of z. */
#define TS_DEEP_NEAR 0x1p-48
/* A safe error bound, relative to |Z + z|, beyond which the orbit is not trusted: the square of an
 * error, which the bound leaves out, is far below it. */
#define TS_DEEP_LARGEST_ERROR 0.5
/* An orbit that returns to a z repeats itself for ever, unless its error grows: by more than this,
 * which is above the roundings of the bound. */
#define TS_DEEP_SAME_ERROR (1.0 + 0x1p-20)
/* |dz_n / dz_1| below which the derivative's test takes a pixel for inside. */
#define TS_DEEP_INSIDE 0x1p-10

/* Advances until the pixel is done, uncertain or small, or has taken `pause` steps. `jumps` is
 * limits.jumps as a constant. */
TS_FN TS_U32 ts_deep_advance(const int jumps, const TsDeepLimits limits,
                             TS_GLOBAL const struct TsJumpNode* nodes,
                             TS_GLOBAL const struct TsJumpEntry* entries, TS_U64 pause,
                             TsDeepPixel* pixel) {
  double x = pixel->x, y = pixel->y, error = pixel->error;
  const double c_re = pixel->c_re, c_im = pixel->c_im;
  TS_U64 m = pixel->m;
  TS_U64 n = pixel->n, steps = pixel->steps;
  TS_U32 state = TS_DEEP_SMALL;
  TsDeepSlope slope = pixel->slope;
  int escaped = pixel->count != limits.limit;
  int smooth_found = !limits.want_smooth || pixel->smooth_radius2 != 0.0;
  for (;;) {
    const struct TsJumpNode node = nodes[m];
    if (!jumps) {
      const TsDifference t = ts_difference(limits, node.re, node.im, x, y, 1.0);
      if (limits.want_distance) {
        ts_follow_step(limits, node.re + x, node.im + y, limits.plain_slope, &slope);
      }
      x = t.re + pixel->plain_re;
      y = t.im + pixel->plain_im;
      m += 1;
      n += 1;
      steps += 1;
      error = ts_fma(
          t.growth, error,
          TS_DEEP_ROUNDING * (t.spread + ((ts_abs(x) + ts_abs(y)) +
                                          (ts_abs(pixel->plain_re) + ts_abs(pixel->plain_im)))));
    } else {
      const double w_re = ts_fma(2.0, node.re, x), w_im = ts_fma(2.0, node.im, y);
      const double t_re = ts_fma(x, w_re, -(y * w_im)), t_im = ts_fma(x, w_im, y * w_re);
      const double t2 = ts_fma(t_re, t_re, t_im * t_im);
      /* |dz'/dz| = |a + 2 q t| |2 (Z + z)| */
      const double v_re = w_re + x, v_im = w_im + y;
      double growth2 = ts_fma(v_re, v_re, v_im * v_im);
      double bc_re = pixel->plain_re, bc_im = pixel->plain_im;
      steps += 1;
      if (t2 < node.radius2) {
        TS_U32 level = node.first + ts_levels(node.levels_and_error) - 1;
        while (!(t2 < entries[level].radius2)) --level;
        {
          const struct TsJumpEntry e = entries[level];
          const double f_re = ts_fma(e.q_re, t_re, ts_fma(-e.q_im, t_im, e.a_re));
          const double f_im = ts_fma(e.q_re, t_im, ts_fma(e.q_im, t_re, e.a_im));
          const double g_re = ts_fma(e.q_re, t_re, ts_fma(-e.q_im, t_im, f_re));
          const double g_im = ts_fma(e.q_re, t_im, ts_fma(e.q_im, t_re, f_im));
          if (e.length >= limits.limit - n) {
            state = TS_DEEP_DONE;
            break;
          }
          if (limits.want_distance) {
            ts_deep_follow(g_re, g_im, v_re, v_im, e.b_re * limits.slope_step,
                           e.b_im * limits.slope_step, &slope);
          }
          growth2 *= ts_fma(g_re, g_re, g_im * g_im);
          bc_re = ts_fma(e.b_re, c_re, -(e.b_im * c_im));
          bc_im = ts_fma(e.b_re, c_im, e.b_im * c_re);
          x = ts_fma(t_re, f_re, ts_fma(-t_im, f_im, bc_re));
          y = ts_fma(t_re, f_im, ts_fma(t_im, f_re, bc_im));
          m += e.length;
          n += e.length;
        }
      } else {
        if (limits.want_distance) {
          ts_deep_follow(1.0, 0.0, v_re, v_im, limits.plain_slope, 0.0, &slope);
        }
        x = t_re + bc_re;
        y = t_im + bc_im;
        m += 1;
        n += 1;
      }
      if (limits.want_interior) slope.contraction *= ts_sqrt(growth2);
      error =
          ts_fma(ts_sqrt(growth2), error,
                 TS_DEEP_ROUNDING * ((ts_abs(x) + ts_abs(y)) + (ts_abs(bc_re) + ts_abs(bc_im))));
    }
    {
      const double z_re = nodes[m].re + x, z_im = nodes[m].im + y;
      const double radius2 = ts_fma(z_re, z_re, z_im * z_im);
      if (!smooth_found && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
        smooth_found = 1;
        pixel->smooth_m = n;
        pixel->smooth_radius2 = radius2;
        pixel->smooth_slope2 = ts_slope2(limits, z_re, z_im, radius2, slope);
      }
      if (!escaped) {
        if (n >= limits.limit) {
          state = TS_DEEP_DONE;
          break;
        }
        const double size = ts_abs(z_re) + ts_abs(z_im);
        const double safe = TS_DEEP_SAFETY * error;
        if (safe > TS_DEEP_LARGEST_ERROR * size ||
            ts_abs(radius2 - limits.bailout2) <= safe * (size + limits.bailout) ||
            ts_abs(radius2 - limits.bailout2) <= TS_DEEP_NEAR * limits.bailout2) {
          state = TS_DEEP_UNCERTAIN;
          break;
        }
        if (!(radius2 <= limits.bailout2)) {
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
      if (radius2 < ts_fma(x, x, y * y) || ts_orbit_ends(limits, m)) {
        x = z_re;
        y = z_im;
        /* Z + z is rounded; Z may be larger than z at the end of the reference. z has been the
         * difference from the true Z, and becomes one from 0. */
        error = ts_fma(TS_DEEP_ROUNDING, ts_abs(x) + ts_abs(y), error) +
                ts_element_error(nodes[m].levels_and_error);
        m = 0;
        if (!escaped) {
          if (x == pixel->saved_x && y == pixel->saved_y &&
              error <= TS_DEEP_SAME_ERROR * pixel->saved_error) {
            state = TS_DEEP_DONE;
            break;
          }
          pixel->rebases += 1;
          if (pixel->rebases >= pixel->saved_next) {
            pixel->saved_x = x;
            pixel->saved_y = y;
            pixel->saved_error = error;
            pixel->saved_next = 2 * pixel->rebases;
          }
        }
      }
      if (ts_abs(x) < limits.small && ts_abs(y) < limits.small) break;
      if (steps >= pause) {
        state = TS_DEEP_PAUSED;
        break;
      }
    }
  }
  pixel->x = x;
  pixel->y = y;
  pixel->error = error;
  pixel->slope = slope;
  pixel->m = m;
  pixel->n = n;
  pixel->steps = steps;
  return state;
}
