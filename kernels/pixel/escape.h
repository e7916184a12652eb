/* The escape loop for one pixel at a time, for GPUs and for plain C++. Needs f64 as the number
 * type, TS_U32 and TS_U64, and the flags of kernels/pixel/tile.h. */

#include "kernels/pixel/steps.h"

typedef struct {
  TS_U64 executed; /* orbit steps executed */
  TS_U32 iterations;
  float smooth;
} TsPixel;

/* The limits of an orbit and the parameters of the formula. */
typedef struct {
  double bailout2; /* R^2 */
  double constant_re, constant_im;
  TS_U32 limit; /* N */
  TS_U32 flags; /* TS_SHORTCUTS, TS_SMOOTH, TS_CAREFUL */
  int degree;
} TsOrbitLimits;

/* |z|^2 beyond which the smooth count is computed. */
#define TS_SMOOTH_RADIUS2 65536.0

/* A saved z of the orbit, replaced periodically, to detect cycles: Brent (1980). */
typedef struct {
  double x, y;
  TS_U32 n, next; /* n of the saved z; n from which on it is replaced */
} TsSaved;

/* Returns 1 if z equals the saved z bit for bit, so that the orbit is periodic. Compares bits,
 * which leaves the floating-point unit to the orbit. Otherwise replaces the saved z if n >= next.
 * */
TS_FN int ts_returned(TsSaved* saved, double x, double y, TS_U32 n, TS_U32 limit) {
  if (n == saved->n) return 0;
  if (ts_to_bits(x) == ts_to_bits(saved->x) && ts_to_bits(y) == ts_to_bits(saved->y)) return 1;
  if (n >= saved->next) {
    saved->x = x;
    saved->y = y;
    saved->n = n;
    saved->next = n + n / 2 < n ? limit : n + n / 2;
  }
  return 0;
}

#define TS_STEP ts_step(formula, limits.degree, &x, &y, c_re, c_im)
#define TS_4_STEPS \
  TS_STEP;         \
  TS_STEP;         \
  TS_STEP;         \
  TS_STEP

/* Computes the pixel at (pixel_re, pixel_im). |z| is tested every 16 steps. The 16 steps in which
 * it escapes are repeated with a test at every step, and the last steps before N are tested at
 * every step. The test is |z|^2 <= R^2, so that NaN counts as escaped. */
TS_FN TsPixel ts_orbit(int formula, double pixel_re, double pixel_im, const TsOrbitLimits limits) {
  const int starts_at_pixel = ts_starts_at_pixel(formula);
  const int want_smooth = (limits.flags & TS_SMOOTH) != 0;
  const int shortcuts = (limits.flags & TS_SHORTCUTS) != 0;
  const double bailout2 = limits.bailout2;
  const double c_re = starts_at_pixel ? limits.constant_re : pixel_re;
  const double c_im = starts_at_pixel ? limits.constant_im : pixel_im;
  TsPixel pixel;
  pixel.executed = 0;
  pixel.iterations = limits.limit;
  pixel.smooth = (float)limits.limit;
  if (shortcuts && bailout2 >= 4.0 && ts_surely_inside(formula, c_re, c_im)) return pixel;

  const double detect2 = want_smooth && bailout2 > TS_SMOOTH_RADIUS2 ? TS_SMOOTH_RADIUS2 : bailout2;
  const TS_U32 last = limits.limit - 1; /* the last n that is tested */
  double x = pixel_re, y = pixel_im;    /* z_0 of a Julia set, or z_1 = c after z_0 = 0 */
  TS_U32 n = starts_at_pixel ? 0 : 1;
  TsSaved saved; /* z_0 */
  saved.x = starts_at_pixel ? x : 0.0;
  saved.y = starts_at_pixel ? y : 0.0;
  saved.n = 0;
  saved.next = 16;
  const int near_edge = !starts_at_pixel && limits.degree == 2 && ts_near_edge(c_re, c_im);
  if (!(limits.flags & TS_CAREFUL) && !near_edge) {
    while (last >= 16 && n <= last - 16) {
      const double before_x = x, before_y = y;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      pixel.executed += 16;
      if (!(ts_radius2(x, y) <= detect2)) {
        x = before_x;
        y = before_y;
        break;
      }
      n += 16;
      if (shortcuts && ts_returned(&saved, x, y, n, limits.limit)) return pixel;
    }
  }

  int smooth_found = !want_smooth;
  TS_U64 m = 0;
  double m_radius2 = 0.0;
  for (; n <= last; ++n) {
    const double radius2 = ts_radius2(x, y);
    if (!smooth_found && radius2 > TS_SMOOTH_RADIUS2) {
      smooth_found = 1;
      m = n;
      m_radius2 = radius2;
    }
    if (!(radius2 <= bailout2)) break;
    if (shortcuts && ts_returned(&saved, x, y, n, limits.limit)) return pixel;
    TS_STEP;
    pixel.executed += 1;
  }
  if (n > last) return pixel;
  pixel.iterations = n;
  if (want_smooth) {
    for (m = smooth_found ? m : n; !smooth_found;) {
      TS_STEP;
      pixel.executed += 1;
      m += 1;
      m_radius2 = ts_radius2(x, y);
      smooth_found = !(m_radius2 <= TS_SMOOTH_RADIUS2);
    }
    pixel.smooth = (float)ts_smooth_of(limits.degree, (double)m, m_radius2);
  }
  return pixel;
}
