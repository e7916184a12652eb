/* Orbits in numbers of 106 bits with a bound of their error, for pixels that f64 leaves open
 * (docs/numerics-exact.md), one at a time, for GPUs and for plain C++. Needs
 * kernels/pixel/bounded_orbit.h. The vectors of device/cpu/pixels/long_passes-inl.hpp have the same
 * bits. */

/* An orbit at z_n. */
typedef struct {
  TsLongPoint z, c;
  double bound;
  TS_U64 n;
} TsLongOrbit;

/* How many steps of 106 bits come before those of f64 where f64 alone has given up at n = open_at:
 * the error of f64 grows from there on only. 0 if the pixel is not begun again in this way. */
TS_FN TS_U64 ts_long_steps_before(TS_U64 open_at) {
  return open_at < 64 ? 0 : open_at / 2;
}

/* Whether pixels are begun again in this way: derivatives follow one orbit from its first z. */
TS_FN int ts_begins_again(const TsBoundedWork work) {
  return (work.flags & TS_MEASURES) == 0 && !work.limits->careful;
}

TS_FN TsLongOrbit ts_begin_long(int formula, const TsBoundedWork work, TsLongPoint at) {
  TsLongOrbit orbit;
  orbit.z = at;
  orbit.c = ts_starts_at_pixel(formula) ? work.c_of_julia : at;
  orbit.bound = work.limits->long_start;
  orbit.n = ts_starts_at_pixel(formula) ? 0 : 1;
  return orbit;
}

TS_FN void ts_long_next(int formula, const TsBoundedWork work, TsLongOrbit* orbit,
                        TsBoundedPixel* pixel) {
  const int degree = ts_degree_of(formula, work.limits->degree);
  orbit->z = ts_long_step(ts_fold_of(formula), degree, orbit->z, orbit->c);
  orbit->n += 1;
  pixel->executed += 1;
}

/* The bound of the next z, from |z|^2 = radius2. */
TS_FN double ts_next_long_bound(int formula, const TsBoundedWork work, double radius2,
                                double bound) {
  const int degree = ts_degree_of(formula, work.limits->degree);
  return ts_next_bound(degree, work.limits->long_growth, radius2, bound);
}

/* The orbit in f64 after z_n of 106 bits, n = steps. */
TS_FN int ts_follow_again(int formula, const TsBoundedWork work, TsLongPoint at, TS_U64 steps,
                          TsBoundedPixel* pixel) {
  TsLongOrbit orbit = ts_begin_long(formula, work, at);
  TsBounded z;
  double radius2;
  while (orbit.n < steps) {
    radius2 = ts_radius2(orbit.z.re.hi, orbit.z.im.hi);
    orbit.bound = ts_next_long_bound(formula, work, radius2, orbit.bound);
    ts_long_next(formula, work, &orbit, pixel);
  }
  radius2 = ts_radius2(orbit.z.re.hi, orbit.z.im.hi);
  z = ts_begin_bounded(formula, work, orbit.z.re.hi, orbit.z.im.hi);
  z.bound = ts_fma(2.0, orbit.bound, ts_mul(2 * work.limits->start_relative, radius2));
  z.n = z.start = steps;
  if (!ts_surely_within(radius2, work.limits->within2, z.bound)) return TS_EXACT_OPEN;
  return ts_follow_bounded(formula, work, ~(TS_U64)0, &z, pixel);
}

/* Notes the first z beyond the smooth radius, where `moving` stays. */
TS_FN void ts_look_for_long_smooth(const TsLongOrbit* orbit, double radius2, TsMoving* moving,
                                   TsBoundedPixel* pixel) {
  if (pixel->radius2 != 0.0 || !(radius2 > TS_SMOOTH_RADIUS2)) return;
  pixel->m = orbit->n;
  pixel->radius2 = radius2;
  moving->x = orbit->z.re.hi;
  moving->y = orbit->z.im.hi;
}

/* A step, with that of the derivative as long as it is followed. */
TS_FN void ts_long_move(int formula, const TsBoundedWork work, TsLongOrbit* orbit, TsMoving* moving,
                        TsBoundedPixel* pixel) {
  if ((work.flags & TS_MEASURES) != 0 && pixel->radius2 == 0.0) {
    moving->x = orbit->z.re.hi;
    moving->y = orbit->z.im.hi;
    ts_move(formula, ts_degree_of(formula, work.limits->degree), moving, orbit->c.re.hi,
            orbit->c.im.hi, work.step);
  }
  ts_long_next(formula, work, orbit, pixel);
}

TS_FN int ts_same_long(TsLongPoint a, TsLongPoint b) {
  return a.re.hi == b.re.hi && a.im.hi == b.im.hi && a.re.lo == b.re.lo && a.im.lo == b.im.lo;
}

/* Follows an orbit from its first z. `moving`, which begins there too, becomes the z and the
 * derivative from which distances come. */
TS_FN int ts_follow_long(int formula, const TsBoundedWork work, TsLongPoint at, TsMoving* moving,
                         TsBoundedPixel* pixel) {
  const double bailout2 = work.limits->bailout2;
  TsLongOrbit orbit = ts_begin_long(formula, work, at);
  TsLongPoint saved = at;
  double saved_bound = -1.0, before2 = 0.0, before_bound = 0.0;
  TS_U64 next_save = TS_EXACT_BLOCK;
  for (;;) {
    const double radius2 = ts_radius2(orbit.z.re.hi, orbit.z.im.hi);
    const int sure_within = ts_surely_within(radius2, bailout2, orbit.bound);
    ts_look_for_long_smooth(&orbit, radius2, moving, pixel);
    if (!(radius2 <= bailout2)) {
      if (ts_surely_beyond(radius2, bailout2, orbit.bound) &&
          ts_surely_within(before2, bailout2, before_bound)) {
        break;
      }
      return TS_EXACT_OPEN;
    }
    if (orbit.n >= work.limit - 1) return sure_within ? TS_EXACT_COUNTED : TS_EXACT_OPEN;
    if ((work.limits->careful && !sure_within) || ts_is_lost(radius2, orbit.bound)) {
      return TS_EXACT_OPEN;
    }
    if (orbit.bound <= saved_bound && sure_within && ts_same_long(orbit.z, saved)) {
      return TS_EXACT_COUNTED;
    }
    if (orbit.n >= next_save) {
      saved = orbit.z;
      saved_bound = orbit.bound;
      next_save = orbit.n + orbit.n / 2;
    }
    before2 = radius2;
    before_bound = orbit.bound;
    orbit.bound = ts_next_long_bound(formula, work, radius2, orbit.bound);
    ts_long_move(formula, work, &orbit, moving, pixel);
  }
  pixel->count = orbit.n;
  while ((work.flags & (TS_FINDS_M | TS_MEASURES)) != 0 && pixel->radius2 == 0.0) {
    ts_long_move(formula, work, &orbit, moving, pixel);
    ts_look_for_long_smooth(&orbit, ts_radius2(orbit.z.re.hi, orbit.z.im.hi), moving, pixel);
  }
  return TS_EXACT_COUNTED;
}

/* Follows an orbit that f64 has given up at n = open_at: with f64 after half of its steps, and then
 * with 106 bits alone. If that leaves it open, it wants more bits. */
TS_FN int ts_follow_open(int formula, const TsBoundedWork work, TsLongPoint at, TS_U64 open_at,
                         TsMoving* moving, TsBoundedPixel* pixel) {
  const TS_U64 steps = ts_long_steps_before(open_at);
  *moving = ts_moving(at.re.hi, at.im.hi, work.step);
  *pixel = ts_bounded_pixel(work.limit);
  if (steps != 0 && ts_begins_again(work)) {
    TS_U64 executed;
    if (ts_follow_again(formula, work, at, steps, pixel) == TS_EXACT_COUNTED) {
      return TS_EXACT_COUNTED;
    }
    executed = pixel->executed;
    *pixel = ts_bounded_pixel(work.limit);
    pixel->executed = executed;
  }
  return ts_follow_long(formula, work, at, moving, pixel);
}
