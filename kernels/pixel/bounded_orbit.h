/* An orbit in f64 with a bound of its error (docs/numerics-exact.md), one at a time, for GPUs and
 * for plain C++. Needs TS_GLOBAL, ts_leading_zeros(), kernels/pixel/escape.h, bounds.h and
 * bounded_steps.h with f64 as the number type. The vectors of
 * device/cpu/pixels/bounded_group-inl.hpp have the same bits. */

/* The coordinates of an image with 106 bits. */
typedef struct {
  TsLong center_re, center_im, constant_re, constant_im;
  TsLong right_re, right_im, up_re, up_im; /* what pixels to the right and up add */
} TsExactPlane;

typedef struct {
  TsExactPlane plane;
  TsExactLimits limits;
} TsExactImage;

/* What is known of a pixel. */
#define TS_EXACT_OPEN 0
#define TS_EXACT_COUNTED 1
#define TS_EXACT_GOES_ON 2 /* its orbit was left beyond n = pause */

/* An orbit at z_n, before any test of it. */
typedef struct {
  double x, y, bound;
  double saved_x, saved_y, saved_bound; /* an earlier z of the orbit, to detect cycles */
  TS_U64 n, saved_n, saved_next;        /* n from which on the saved z is replaced */
  TS_U64 start;                         /* n of the first z in f64, if one of 106 bits was before */
  TS_U32 quick; /* index of the TsQuickBound that `bound` has joined; 0 = none */
} TsBounded;

/* An orbit between two launches. */
typedef struct {
  TsBounded z;
  struct TsOrbit orbit; /* on its way with its derivative, if it measures; knows its pixel */
} TsBoundedKept;

typedef struct {
  TS_U64 executed;
  TS_U64 count;
  TS_U64 open_at; /* the n at which it was given up; 0 if its first steps decided */
  TS_U64 m;       /* for `smooth`, if it escaped */
  double radius2; /* |z_m|^2; 0 = not found yet */
} TsBoundedPixel;

/* The orbits of an image. */
typedef struct {
  TS_GLOBAL const TsExactLimits* limits;
  TS_U64 limit;           /* N */
  TS_U32 flags;           /* TS_SHORTCUTS, TS_FINDS_M, TS_MEASURES */
  double c_re, c_im;      /* of this orbit */
  TsLongPoint c_of_julia; /* c of a Julia set */
  double step;            /* of the image, for derivatives */
} TsBoundedWork;

/* The index of the TsQuickBound of a block that begins at n; those of the first one change every
 * TS_EXACT_QUICK steps. */
TS_FN TS_U32 ts_quick_of(TS_U64 n) {
  return n < TS_EXACT_BLOCK ? 4 + (TS_U32)n / TS_EXACT_QUICK : 66 - (TS_U32)ts_leading_zeros(n);
}

/* Whether the formula is always of degree 2. */
TS_FN int ts_squares(int formula) {
  return ts_degree_of(formula, 0) == 2;
}

/* The orbit from its first z, the leading parts of a coordinate of 106 bits. */
TS_FN TsBounded ts_begin_bounded(int formula, const TsBoundedWork work, double re, double im) {
  TsBounded z;
  z.x = re;
  z.y = im;
  z.bound = ts_fma(work.limits->start_relative, ts_radius2(re, im), work.limits->start_absolute);
  z.saved_x = z.saved_y = z.saved_bound = 0.0;
  z.n = ts_starts_at_pixel(formula) ? 0 : 1;
  z.saved_n = 0;
  z.saved_next = TS_EXACT_BLOCK;
  z.start = 0;
  z.quick = 0;
  return z;
}

TS_FN void ts_bounded_next(int formula, const TsBoundedWork work, TsBounded* z,
                           TsBoundedPixel* pixel) {
  ts_step(formula, ts_degree_of(formula, work.limits->degree), &z->x, &z->y, work.c_re, work.c_im);
  z->n += 1;
  pixel->executed += 1;
}

TS_FN void ts_look_for_smooth(const TsBounded* z, double radius2, TsBoundedPixel* pixel) {
  if (pixel->radius2 != 0.0 || !(radius2 > TS_SMOOTH_RADIUS2)) return;
  pixel->m = z->n;
  pixel->radius2 = radius2;
}

/* Follows an orbit that is surely beyond R to its smooth count. */
TS_FN int ts_count_beyond(int formula, const TsBoundedWork work, TsBounded* z,
                          TsBoundedPixel* pixel) {
  pixel->count = z->n;
  while ((work.flags & (TS_FINDS_M | TS_MEASURES)) != 0 && pixel->radius2 == 0.0) {
    ts_bounded_next(formula, work, z, pixel);
    ts_look_for_smooth(z, ts_radius2(z->x, z->y), pixel);
  }
  return TS_EXACT_COUNTED;
}

/* An orbit of an image whose orbits may come back within R: every |z| has to be surely on one side
 * of R. */
TS_FN int ts_follow_carefully(int formula, const TsBoundedWork work, TsBounded* z,
                              TsBoundedPixel* pixel) {
  const int degree = ts_degree_of(formula, work.limits->degree);
  const double bailout2 = work.limits->bailout2;
  for (;;) {
    const double radius2 = ts_radius2(z->x, z->y);
    ts_look_for_smooth(z, radius2, pixel);
    if (ts_surely_beyond(radius2, bailout2, z->bound)) {
      return ts_count_beyond(formula, work, z, pixel);
    }
    if (!ts_surely_within(radius2, bailout2, z->bound)) return TS_EXACT_OPEN;
    if (z->n == work.limit - 1) return TS_EXACT_COUNTED;
    z->bound = ts_next_bound(degree, work.limits->growth, radius2, z->bound);
    ts_bounded_next(formula, work, z, pixel);
  }
}

/* Counts an orbit that leaves in its first block, whose errors are known beforehand. Returns 0,
 * with the pixel as before, if the orbit stays within R. */
TS_FN int ts_leaves_early(int formula, const TsBoundedWork work, TsBounded z, int* state,
                          TsBoundedPixel* pixel) {
  const TS_U64 rest = work.limit - 1 - z.n;
  const TS_U32 steps = rest < TS_EXACT_BLOCK ? (TS_U32)rest : TS_EXACT_BLOCK;
  TS_U32 i = 0;
  for (;; ++i) {
    const double radius2 = ts_radius2(z.x, z.y);
    ts_look_for_smooth(&z, radius2, pixel);
    if (!(radius2 <= work.limits->least2[i])) {
      *state = radius2 > work.limits->most2[i] ? ts_count_beyond(formula, work, &z, pixel)
                                               : TS_EXACT_OPEN;
      return 1;
    }
    if (i == steps) break;
    ts_bounded_next(formula, work, &z, pixel);
  }
  pixel->m = 0;
  pixel->radius2 = 0.0;
  return 0;
}

/* An orbit that is not surely within R at the end of the block that begins here, or has too large a
 * bound there. It never comes back. So its count is certain if z is surely beyond R where it
 * leaves, and the z before is surely within. */
TS_FN int ts_follow_leaving(int formula, const TsBoundedWork work, TsBounded* z,
                            TsBoundedPixel* pixel) {
  const int degree = ts_degree_of(formula, work.limits->degree);
  const double bailout2 = work.limits->bailout2;
  double before2 = 0.0, before_bound = 0.0;
  int state = TS_EXACT_OPEN;
  if (work.limits->known && z->start == 0 && z->n < TS_EXACT_BLOCK &&
      ts_leaves_early(formula, work, *z, &state, pixel)) {
    return state;
  }
  for (;;) {
    const double radius2 = ts_radius2(z->x, z->y);
    const int within = radius2 <= bailout2;
    ts_look_for_smooth(z, radius2, pixel);
    pixel->open_at = z->n;
    if (within && ts_is_lost(radius2, z->bound)) return TS_EXACT_OPEN;
    if (!within) {
      const int sure = ts_surely_beyond(radius2, bailout2, z->bound) &&
                       ts_surely_within(before2, bailout2, before_bound);
      return sure ? ts_count_beyond(formula, work, z, pixel) : TS_EXACT_OPEN;
    }
    if (z->n == work.limit - 1) {
      return ts_surely_within(radius2, bailout2, z->bound) ? TS_EXACT_COUNTED : TS_EXACT_OPEN;
    }
    before2 = radius2;
    before_bound = z->bound;
    z->bound = ts_next_bound(degree, work.limits->growth, radius2, z->bound);
    ts_bounded_next(formula, work, z, pixel);
  }
}

TS_FN void ts_join_quick(const TsBoundedWork work, TS_U32 index, TsBounded* z) {
  TS_GLOBAL const TsQuickBound* quick = &work.limits->quick[index];
  if (index == z->quick) return;
  z->quick = index;
  z->bound = ts_mul(ts_fma(z->bound, quick->scale, quick->joins), quick->unscaled);
}

TS_FN double ts_larger(double a, double b) {
  return a < b ? b : a;
}

/* `most` becomes no less than any bound. */
TS_FN void ts_quick_steps(int formula, const TsBoundedWork work, TS_U32 steps, TsBounded* z,
                          double* most) {
  TS_GLOBAL const TsQuickBound* quick = &work.limits->quick[z->quick];
  const int degree = ts_degree_of(formula, work.limits->degree);
  const double base = ts_bound_base(degree, work.c_re);
  double bound = ts_mul(z->bound, quick->scale);
  *most = ts_larger(*most, z->bound);
  if (ts_squares(formula) && steps == TS_EXACT_QUICK) {
    const double above = ts_add(base, bound);
    for (TS_U32 i = 0; i < TS_EXACT_QUICK; ++i) {
      ts_bounded_step(formula, degree, &z->x, &z->y, work.c_re, work.c_im, above, quick->added[i],
                      &bound);
    }
    bound = ts_mul(bound, quick->of_all);
  } else {
    for (TS_U32 i = 0; i < steps; ++i) {
      ts_bounded_step(formula, degree, &z->x, &z->y, work.c_re, work.c_im, ts_add(base, bound),
                      quick->single_added, &bound);
      bound = ts_mul(bound, quick->of_single);
      if (!ts_squares(formula)) *most = ts_larger(*most, ts_mul(bound, quick->unscaled));
    }
  }
  z->bound = ts_mul(bound, quick->unscaled);
  z->n += steps;
  *most = ts_larger(*most, z->bound);
}

/* The quick steps of one block. Returns the largest bound in it. */
TS_FN double ts_quick_block(int formula, const TsBoundedWork work, TsBounded* z) {
  const TS_U64 begin = z->n;
  const TS_U64 rest = work.limit - 1 - begin;
  const TS_U64 end = begin + (rest < TS_EXACT_BLOCK ? rest : TS_EXACT_BLOCK);
  const int first = begin - z->start < TS_EXACT_BLOCK;
  const TS_U32 quick = ts_quick_of(begin - z->start);
  double most = 0.0;
  while (z->n < end) {
    const TS_U64 left = end - z->n;
    ts_join_quick(work, first ? ts_quick_of(z->n - begin) : quick, z);
    ts_quick_steps(formula, work, left < TS_EXACT_QUICK ? (TS_U32)left : TS_EXACT_QUICK, z, &most);
  }
  return most;
}

/* Whether z has the bits of an earlier z of the orbit with no larger a bound: the same steps with
 * the same bounds would follow for ever. */
TS_FN int ts_has_returned(const TsBounded* z) {
  return z->saved_n != 0 && z->x == z->saved_x && z->y == z->saved_y && z->bound <= z->saved_bound;
}

TS_FN void ts_save_bounded(TsBounded* z) {
  if (z->n < z->saved_next) return;
  z->saved_x = z->x;
  z->saved_y = z->y;
  z->saved_bound = z->bound;
  z->saved_n = z->n;
  z->saved_next = z->n + z->n / 2;
}

/* Follows an orbit by blocks. */
TS_FN int ts_follow_bounded(int formula, const TsBoundedWork work, TS_U64 pause, TsBounded* z,
                            TsBoundedPixel* pixel) {
  while (z->n < work.limit - 1) {
    double most, radius2;
    TsBounded before;
    /* After numbers of 106 bits, there are whole blocks only. */
    if (z->start != 0 && z->n + TS_EXACT_BLOCK > work.limit - 1) break;
    if (z->n - z->start >= TS_EXACT_BLOCK) ts_join_quick(work, ts_quick_of(z->n - z->start), z);
    before = *z;
    most = ts_quick_block(formula, work, z);
    pixel->executed += z->n - before.n;
    radius2 = ts_radius2(z->x, z->y);
    if (!(most <= TS_BOUND_MOST) || !ts_surely_within(radius2, work.limits->within2, z->bound)) {
      *z = before;
      break;
    }
    if ((work.flags & TS_SHORTCUTS) != 0 && ts_has_returned(z)) return TS_EXACT_COUNTED;
    ts_save_bounded(z);
    if (z->n > pause && z->n < work.limit - 1) return TS_EXACT_GOES_ON;
  }
  return z->n < work.limit - 1 ? ts_follow_leaving(formula, work, z, pixel) : TS_EXACT_COUNTED;
}

TS_FN TsBoundedPixel ts_bounded_pixel(TS_U64 limit) {
  TsBoundedPixel pixel;
  pixel.executed = pixel.open_at = pixel.m = 0;
  pixel.count = limit;
  pixel.radius2 = 0.0;
  return pixel;
}

/* Whether an orbit at its first z counts as inside before its first step. One from 0 begins within
 * every R. */
TS_FN int ts_is_counted_at_once(int formula, const TsBoundedWork work, const TsBounded* z) {
  const int inside = (work.flags & TS_SHORTCUTS) != 0 &&
                     ts_never_leaves(formula, work.limits->bailout2, work.c_re, work.c_im);
  return inside || (work.limit == 1 && z->n == 1);
}
