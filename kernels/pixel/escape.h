/* The escape loop for one pixel at a time, for GPUs and for plain C++. Needs f64 as the number
 * type, TS_U32 and TS_U64, and the flags of kernels/pixel/tile.h. */

#include "kernels/pixel/steps.h"

typedef struct {
  TS_U64 executed; /* orbit steps executed */
  TS_U32 iterations;
  float smooth, fraction;
  float distance, gradient_x, gradient_y, phase;
} TsPixel;

/* The limits of an orbit and the parameters of the formula. */
typedef struct {
  double bailout2; /* R^2 */
  double constant_re, constant_im;
  TS_U32 limit; /* N */
  TS_U32 flags; /* TS_SHORTCUTS, TS_FINDS_M, TS_CAREFUL, TS_MEASURES, TS_TURNED */
  int degree;
  double step; /* between pixels, for TS_MEASURES */
  TsTurn turn; /* for TS_MEASURES and TS_TURNED */
} TsOrbitLimits;

/* |z|^2 beyond which the smooth count is computed. */
#define TS_SMOOTH_RADIUS2 65536.0

/* Returns 1 if z equals the saved z bit for bit, so that the orbit is periodic. Compares bits,
 * which leaves the floating-point unit to the orbit. Otherwise replaces the saved z if it is time.
 * */
TS_FN int ts_returned(struct TsOrbit* orbit, double x, double y, TS_U32 n, TS_U32 limit) {
  if (n == orbit->saved_n) return 0;
  if (ts_to_bits(x) == ts_to_bits(orbit->saved_x) && ts_to_bits(y) == ts_to_bits(orbit->saved_y)) {
    return 1;
  }
  if (n >= orbit->saved_next) {
    orbit->saved_x = x;
    orbit->saved_y = y;
    orbit->saved_n = n;
    orbit->saved_next = n + n / 2 < n ? limit : n + n / 2;
  }
  return 0;
}

TS_FN void ts_load_slopes(const struct TsOrbit* orbit, TsMoving* z) {
  z->right_u = orbit->right_u;
  z->right_v = orbit->right_v;
  z->up_u = orbit->up_u;
  z->up_v = orbit->up_v;
}

TS_FN void ts_keep_slopes(const TsMoving z, struct TsOrbit* orbit) {
  orbit->right_u = z.right_u;
  orbit->right_v = z.right_v;
  orbit->up_u = z.up_u;
  orbit->up_v = z.up_v;
}

#define TS_STEP ts_step(formula, limits.degree, &x, &y, c_re, c_im)
#define TS_4_STEPS \
  TS_STEP;         \
  TS_STEP;         \
  TS_STEP;         \
  TS_STEP
#define TS_KEEP(orbit) \
  (orbit)->x = x;      \
  (orbit)->y = y;      \
  (orbit)->n = n

/* Up to n, with those of a block that are repeated. */
#define TS_EXECUTED(n) (pixel->executed = (TS_U64)((n)-start) + repeated)

/* Continues the orbit of the pixel at (pixel_re, pixel_im). Returns 1 with the values of the pixel,
 * or 0 with the orbit where it is to be continued, beyond n = pause. `executed` is set in both
 * cases. |z| is tested every 16 steps. The 16 steps in which it escapes are repeated with a test at
 * every step, and the last steps before N are tested at every step. The test is |z|^2 <= R^2, so
 * that NaN counts as escaped. */
TS_FN int ts_advance(int formula, double pixel_re, double pixel_im, const TsOrbitLimits limits,
                     TS_U32 pause, struct TsOrbit* orbit, TsPixel* pixel) {
  const int starts_at_pixel = ts_starts_at_pixel(formula);
  const int want_smooth = (limits.flags & TS_FINDS_M) != 0;
  const int shortcuts = (limits.flags & TS_SHORTCUTS) != 0;
  const double bailout2 = limits.bailout2;
  const double c_re = starts_at_pixel ? limits.constant_re : pixel_re;
  const double c_im = starts_at_pixel ? limits.constant_im : pixel_im;
  const TS_U32 start = orbit->n;
  TS_U32 repeated = 0;
  pixel->iterations = limits.limit;
  pixel->smooth = (float)limits.limit;
  pixel->fraction = 0.0f;

  const double detect2 = want_smooth && bailout2 > TS_SMOOTH_RADIUS2 ? TS_SMOOTH_RADIUS2 : bailout2;
  const TS_U32 last = limits.limit - 1; /* the last n that is tested */
  double x = orbit->x, y = orbit->y;
  TS_U32 n = orbit->n;
  const int near_edge = !starts_at_pixel && limits.degree == 2 && ts_near_edge(c_re, c_im);
  const int interior = (limits.flags & TS_INTERIOR) != 0;
  const int careful = (limits.flags & TS_CAREFUL) || near_edge || interior;
  if (!careful && last >= 16) {
    const TS_U32 last_start = last - 16; /* of 16 steps */
    const TS_U32 end = pause < last_start ? pause : last_start;
    while (n <= end) {
      const double before_x = x, before_y = y;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      if (!(ts_radius2(x, y) <= detect2)) {
        x = before_x;
        y = before_y;
        repeated = 16;
        break;
      }
      n += 16;
      if (shortcuts && ts_returned(orbit, x, y, n, limits.limit)) {
        TS_EXECUTED(n);
        return 1;
      }
    }
    if (repeated == 0 && n <= last_start) {
      TS_EXECUTED(n);
      TS_KEEP(orbit);
      return 0;
    }
  }

  const TS_U32 end = careful && pause < last ? pause : last;
  int smooth_found = !want_smooth || orbit->smooth_found;
  TS_U64 m = orbit->m;
  double m_radius2 = orbit->m_radius2;
  TsMoving z;
  ts_load_slopes(orbit, &z);
  for (; n <= end; ++n) {
    const double radius2 = ts_radius2(x, y);
    if (!smooth_found && radius2 > TS_SMOOTH_RADIUS2) {
      smooth_found = 1;
      m = n;
      m_radius2 = radius2;
    }
    if (!(radius2 <= bailout2)) break;
    if (shortcuts && ts_returned(orbit, x, y, n, limits.limit)) {
      TS_EXECUTED(n);
      return 1;
    }
    if (interior) {
      /* Once it was beyond, a slope that is not finite says so. */
      if (radius2 > TS_SMOOTH_RADIUS2) z.right_u = ts_from_bits(ts_bits(0x7FF0000000000000));
      if (n >= TS_FIRST_INTERIOR && n % TS_INTERIOR_STEPS == 0 && ts_contracts(formula, z)) {
        TS_EXECUTED(n);
        return 1;
      }
      z.x = x;
      z.y = y;
      ts_move(formula, limits.degree, &z, c_re, c_im, 0.0);
      x = z.x;
      y = z.y;
    } else {
      TS_STEP;
    }
  }
  TS_EXECUTED(n);
  if (n > last) return 1;
  if (n > end) {
    TS_KEEP(orbit);
    ts_keep_slopes(z, orbit);
    orbit->m = (TS_U32)m;
    orbit->m_radius2 = m_radius2;
    orbit->smooth_found = want_smooth && smooth_found;
    return 0;
  }
  pixel->iterations = n;
  if (want_smooth) {
    if (!smooth_found) {
      m = n;
      do {
        TS_STEP;
        m += 1;
        m_radius2 = ts_radius2(x, y);
      } while (m_radius2 <= TS_SMOOTH_RADIUS2);
      pixel->executed += m - n;
    }
    pixel->smooth = (float)ts_smooth_of(limits.degree, (double)m, m_radius2);
    if (limits.flags & TS_FRACTION) {
      pixel->fraction = (float)ts_smooth_of(limits.degree, (double)m - (double)n, m_radius2);
    }
  }
  return 1;
}

/* Whether a pixel's c proves that its orbit never leaves. The proofs are of orbits within 2, not of
 * those within a smaller R. A formula with a proof has the pixel as its c. */
TS_FN int ts_never_leaves(int formula, double bailout2, double c_re, double c_im) {
  return bailout2 >= 4.0 && ts_surely_inside(formula, c_re, c_im);
}

/* Returns 1 with the values of the pixel if they are known at once. Otherwise returns 0 with the
 * start of the orbit: z_0 of a Julia set, or z_1 = c after z_0 = 0. */
TS_FN int ts_begin(int formula, double pixel_re, double pixel_im, const TsOrbitLimits limits,
                   struct TsOrbit* orbit, TsPixel* pixel) {
  const int starts_at_pixel = ts_starts_at_pixel(formula);
  const int shortcuts = (limits.flags & TS_SHORTCUTS) != 0;
  pixel->executed = 0;
  pixel->iterations = limits.limit;
  pixel->smooth = (float)limits.limit;
  pixel->fraction = 0.0f;
  orbit->x = pixel_re;
  orbit->y = pixel_im;
  orbit->saved_x = starts_at_pixel ? pixel_re : 0.0; /* z_0 */
  orbit->saved_y = starts_at_pixel ? pixel_im : 0.0;
  orbit->m_radius2 = 0.0;
  ts_keep_slopes(ts_moving(pixel_re, pixel_im, 1.0), orbit);
  orbit->n = starts_at_pixel ? 0 : 1;
  orbit->saved_n = 0;
  orbit->saved_next = 16;
  orbit->m = 0;
  orbit->smooth_found = 0;
  orbit->pixel = 0;
  orbit->measures = 0;
  return shortcuts && ts_never_leaves(formula, limits.bailout2, pixel_re, pixel_im);
}

/* Sends the orbit of a pixel that escapes on its way again, for ts_measure(). */
TS_FN void ts_begin_measure(int formula, double pixel_re, double pixel_im, double step,
                            struct TsOrbit* orbit) {
  const TsMoving z = ts_moving(pixel_re, pixel_im, step);
  orbit->x = z.x;
  orbit->y = z.y;
  ts_keep_slopes(z, orbit);
  orbit->n = ts_starts_at_pixel(formula) ? 0 : 1;
  orbit->measures = 1;
}

/* Sets the distance, the gradient and the phase from the first z beyond the smooth radius. */
TS_FN void ts_set_measured(int formula, const TsOrbitLimits limits, const TsMoving z,
                           double radius2, TsPixel* pixel) {
  const int turned = (limits.flags & TS_TURNED) != 0;
  const double distance = ts_moving_distance(formula, z, turned, limits.turn, radius2);
  pixel->distance = ts_stored_distance(distance);
  if (limits.flags & TS_GRADIENT) {
    const TsSlopes slopes = ts_slopes_of(formula, z, turned, limits.turn);
    const TsSlopes gradient = ts_gradient_of(distance, slopes);
    pixel->gradient_x = ts_stored_distance(gradient.right);
    pixel->gradient_y = ts_stored_distance(gradient.up);
  }
  if (limits.flags & TS_ANGLE) pixel->phase = (float)ts_angle(z.x, z.y);
}

/* Continues that orbit. Returns 1 with these values, or 0 with the orbit where it
 * is to be continued, beyond n = pause. `executed` is set in both cases. */
TS_FN int ts_measure(int formula, double pixel_re, double pixel_im, const TsOrbitLimits limits,
                     TS_U32 pause, struct TsOrbit* orbit, TsPixel* pixel) {
  const int starts_at_pixel = ts_starts_at_pixel(formula);
  const double c_re = starts_at_pixel ? limits.constant_re : pixel_re;
  const double c_im = starts_at_pixel ? limits.constant_im : pixel_im;
  const TS_U32 start = orbit->n;
  TS_U32 n = start;
  double radius2;
  TsMoving z;
  z.x = orbit->x;
  z.y = orbit->y;
  ts_load_slopes(orbit, &z);
  radius2 = ts_radius2(z.x, z.y);
  for (; radius2 <= TS_SMOOTH_RADIUS2 && n <= pause; ++n) {
    ts_move(formula, limits.degree, &z, c_re, c_im, limits.step);
    radius2 = ts_radius2(z.x, z.y);
  }
  pixel->executed = n - start;
  if (!(radius2 <= TS_SMOOTH_RADIUS2)) {
    ts_set_measured(formula, limits, z, radius2, pixel);
    return 1;
  }
  orbit->x = z.x;
  orbit->y = z.y;
  ts_keep_slopes(z, orbit);
  orbit->n = n;
  return 0;
}

/* The same of a pixel whose orbit escapes; adds its steps to `executed`. */
TS_FN void ts_add_distance(int formula, double pixel_re, double pixel_im,
                           const TsOrbitLimits limits, TsPixel* pixel) {
  const TS_U64 executed = pixel->executed;
  struct TsOrbit orbit;
  ts_begin_measure(formula, pixel_re, pixel_im, limits.step, &orbit);
  ts_measure(formula, pixel_re, pixel_im, limits, 0xFFFFFFFFu, &orbit, pixel);
  pixel->executed += executed;
}

/* Computes the pixel at (pixel_re, pixel_im). */
TS_FN TsPixel ts_orbit(int formula, double pixel_re, double pixel_im, const TsOrbitLimits limits) {
  struct TsOrbit orbit;
  TsPixel pixel;
  if (!ts_begin(formula, pixel_re, pixel_im, limits, &orbit, &pixel)) {
    ts_advance(formula, pixel_re, pixel_im, limits, 0xFFFFFFFFu, &orbit, &pixel);
  }
  pixel.distance = pixel.gradient_x = pixel.gradient_y = pixel.phase = 0.0f;
  if ((limits.flags & TS_MEASURES) && pixel.iterations != limits.limit) {
    ts_add_distance(formula, pixel_re, pixel_im, limits, &pixel);
  }
  return pixel;
}
