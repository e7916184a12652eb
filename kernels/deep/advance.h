/* The loop over a pixel's difference z from the reference orbit Z (src/deep/jump_table.hpp), while
 * |z| is within f64's range, in the common subset of C++, CUDA C++ and OpenCL C. Needs
 * kernels/deep/jumps.h, TS_FN, TS_U32, TS_U64, ts_fma, ts_sqrt and ts_abs. */

#include "kernels/deep/jumps.h"

/* What all pixels of an image share. */
typedef struct {
  double bailout2; /* R^2 */
  double bailout;  /* R */
  TS_U64 last;     /* M: index of the last element of the reference orbit */
  TS_U32 limit;    /* N */
  TS_U32 want_smooth;
} TsDeepLimits;

/* The state of a pixel between two calls. */
typedef struct {
  double x, y;               /* z, the difference from the reference */
  double error;              /* bound of the error of z */
  double c_re, c_im;         /* in the unit of the table */
  double plain_re, plain_im; /* c, or 0 where it underflows */
  double saved_x, saved_y;   /* an earlier z at m = 0, to detect cycles: Brent (1980) */
  TS_U64 m;                  /* of the reference */
  TS_U32 n;                  /* iterations; Z_m + z was tested for all before */
  TS_U32 rebases, saved_next;
  double smooth_radius2; /* |z_m|^2 at the first m beyond the smooth radius */
  TS_U32 smooth_m;
  TS_U32 count;
  TS_U32 steps, scaled_steps;
} TsDeepPixel;

#define TS_DEEP_DONE 0u      /* `count` is the count */
#define TS_DEEP_UNCERTAIN 1u /* rounding may have changed the count */
#define TS_DEEP_SMALL 2u     /* |z| < 2^-240: f64 cannot hold its square */

#define TS_DEEP_SMOOTH_RADIUS2 65536.0
#define TS_DEEP_SMALL_Z 0x1p-240
/* 2^-53 times the roundings of a step, which add to z' and to B c. */
#define TS_DEEP_ROUNDING 0x1p-51
/* The error is at most so many times its bound (docs/numerics.md). */
#define TS_DEEP_SAFETY 32.0
/* A safe error bound, relative to 1 + |z|, beyond which the orbit is not trusted. */
#define TS_DEEP_LARGEST_ERROR 0.5

/* Advances until the pixel is done, uncertain or small. */
TS_FN TS_U32 ts_deep_advance(const TsDeepLimits limits, TS_GLOBAL const struct TsJumpNode* nodes,
                             TS_GLOBAL const struct TsJumpEntry* entries, TsDeepPixel* pixel) {
  double x = pixel->x, y = pixel->y, error = pixel->error;
  const double c_re = pixel->c_re, c_im = pixel->c_im;
  TS_U64 m = pixel->m;
  TS_U32 n = pixel->n;
  TS_U32 state = TS_DEEP_SMALL;
  int escaped = pixel->count != limits.limit;
  int smooth_found = !limits.want_smooth || pixel->smooth_m != 0;
  for (;;) {
    const struct TsJumpNode node = nodes[m];
    const double w_re = ts_fma(2.0, node.re, x), w_im = ts_fma(2.0, node.im, y);
    const double t_re = ts_fma(x, w_re, -(y * w_im)), t_im = ts_fma(x, w_im, y * w_re);
    const double t2 = ts_fma(t_re, t_re, t_im * t_im);
    /* |dz'/dz| = |a + 2 q t| |2 (Z + z)| */
    const double v_re = w_re + x, v_im = w_im + y;
    double growth2 = ts_fma(v_re, v_re, v_im * v_im);
    double bc_re = pixel->plain_re, bc_im = pixel->plain_im;
    pixel->steps += 1;
    if (t2 < node.radius2) {
      TS_U32 level = node.first + node.levels - 1;
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
        growth2 *= ts_fma(g_re, g_re, g_im * g_im);
        bc_re = ts_fma(e.b_re, c_re, -(e.b_im * c_im));
        bc_im = ts_fma(e.b_re, c_im, e.b_im * c_re);
        x = ts_fma(t_re, f_re, ts_fma(-t_im, f_im, bc_re));
        y = ts_fma(t_re, f_im, ts_fma(t_im, f_re, bc_im));
        m += e.length;
        n += (TS_U32)e.length;
      }
    } else {
      x = t_re + bc_re;
      y = t_im + bc_im;
      m += 1;
      n += 1;
    }
    error = ts_fma(ts_sqrt(growth2), error,
                   TS_DEEP_ROUNDING * ((ts_abs(x) + ts_abs(y)) + (ts_abs(bc_re) + ts_abs(bc_im))));
    {
      const double z_re = nodes[m].re + x, z_im = nodes[m].im + y;
      const double radius2 = ts_fma(z_re, z_re, z_im * z_im);
      if (!smooth_found && radius2 > TS_DEEP_SMOOTH_RADIUS2) {
        smooth_found = 1;
        pixel->smooth_m = n;
        pixel->smooth_radius2 = radius2;
      }
      if (!escaped) {
        if (n >= limits.limit) {
          state = TS_DEEP_DONE;
          break;
        }
        const double size = ts_abs(z_re) + ts_abs(z_im);
        const double safe = TS_DEEP_SAFETY * error;
        if (safe > TS_DEEP_LARGEST_ERROR * (1.0 + size) ||
            ts_abs(radius2 - limits.bailout2) <= safe * (size + limits.bailout)) {
          state = TS_DEEP_UNCERTAIN;
          break;
        }
        if (!(radius2 <= limits.bailout2)) {
          pixel->count = n;
          escaped = 1;
        }
      }
      if (escaped && smooth_found) {
        state = TS_DEEP_DONE;
        break;
      }
      if (radius2 < ts_fma(x, x, y * y) || m >= limits.last) {
        x = z_re;
        y = z_im;
        m = 0;
        if (!escaped) {
          if (x == pixel->saved_x && y == pixel->saved_y) {
            state = TS_DEEP_DONE;
            break;
          }
          pixel->rebases += 1;
          if (pixel->rebases >= pixel->saved_next) {
            pixel->saved_x = x;
            pixel->saved_y = y;
            pixel->saved_next = 2 * pixel->rebases;
          }
        }
      }
      if (ts_abs(x) < TS_DEEP_SMALL_Z && ts_abs(y) < TS_DEEP_SMALL_Z) break;
    }
  }
  pixel->x = x;
  pixel->y = y;
  pixel->error = error;
  pixel->m = m;
  pixel->n = n;
  return state;
}
