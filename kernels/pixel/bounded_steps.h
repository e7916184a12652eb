/* Orbits with a bound on their distance from the exact orbit (docs/numerics-exact.md), in f64 and
 * in numbers of 106 bits, in the common subset of C++, CUDA C++ and OpenCL C. Needs
 * kernels/pixel/steps.h and bounds.hpp; has no include guard either. A bound is the square of a
 * distance. */

/* Above all rounding errors of the |z|^2 that ts_bounded_step() takes from a step of degree 2. */
#define TS_BOUND_FLOOR 0x1p-46
/* The bounds in a block of quick steps are no larger. */
#define TS_BOUND_MOST 0x1p-16
/* z at its count is known to 6 bits. */
#define TS_BOUND_BITS 0x1p12
/* Rounding of |z|^2 and of its difference from R^2, in the tests against R. */
#define TS_BOUND_TEST 0x1p-98

/* v^exponent, for exponents from 1 to 7. */
TS_FN TS_REAL ts_bound_power(TS_REAL v, int exponent) {
  TS_REAL power = v;
  int i = 1;
  for (; i < exponent; ++i) power = ts_mul(power, v);
  return power;
}

/* What ts_bounded_step() wants as `above`, less the part that grows with the bound. */
TS_FN TS_REAL ts_bound_base(int degree, TS_REAL c_re) {
  return degree == 2 ? ts_add(c_re, ts_real(TS_BOUND_FLOOR)) : ts_real(0.0);
}

/* A step. bound = |z|'^(2 degree - 2) bound + added, with |z|'^2 above |z|^2 by what is in `above`.
 * For degree 2, |z|'^2 is x^2 and y^2 as the step has them. */
TS_FN void ts_bounded_step(int formula, int degree, TS_REAL* x, TS_REAL* y, TS_REAL c_re,
                           TS_REAL c_im, TS_REAL above, TS_REAL added, TS_REAL* bound) {
  const TS_REAL old_x = *x, old_y = *y;
  ts_step(formula, degree, x, y, c_re, c_im);
  if (degree == 2) {
    const TS_REAL t = ts_fnma(old_y, old_y, c_re);
    const TS_REAL radius2 = ts_add(ts_sub(*x, t), ts_sub(above, t));
    *bound = ts_fma(radius2, *bound, added);
  } else {
    const TS_REAL radius2 = ts_fma(old_x, old_x, ts_fma(old_y, old_y, above));
    *bound = ts_fma(ts_bound_power(radius2, degree - 1), *bound, added);
  }
}

/* The bound after a step from |z|^2 = radius2. */
TS_FN TS_REAL ts_next_bound(int degree, const TsBoundGrowth growth, TS_REAL radius2,
                            TS_REAL bound) {
  const TS_REAL above = ts_fma(bound, ts_real(growth.split), radius2);
  const TS_REAL sum =
      ts_fma(ts_real(growth.growth), bound, ts_mul(ts_real(growth.rounding), above));
  return ts_fma(ts_bound_power(above, degree - 1), sum, ts_real(growth.anywhere));
}

/* Whether a pixel is given up, with |z|^2 = radius2: its count would never be certain. */
TS_FN TS_MASK ts_is_lost(TS_REAL radius2, TS_REAL bound) {
  const TS_REAL quarter = ts_real(0.25);
  return ts_less(ts_fma(quarter, radius2, quarter), bound);
}

/* Whether the exact |z| is at most R. */
TS_FN TS_MASK ts_surely_within(TS_REAL radius2, TS_REAL bailout2, TS_REAL bound) {
  const TS_REAL left = ts_sub(bailout2, radius2);
  const TS_REAL error = ts_fma(ts_real(TS_BOUND_TEST), bailout2, bound);
  return ts_both(ts_less(ts_real(0.0), left),
                 ts_less(ts_mul(ts_mul(ts_real(5.0), bailout2), error), ts_mul(left, left)));
}

/* Whether the exact |z| is above R, and z known well enough for its smooth count. */
TS_FN TS_MASK ts_surely_beyond(TS_REAL radius2, TS_REAL bailout2, TS_REAL bound) {
  const TS_REAL above = ts_sub(radius2, bailout2);
  const TS_REAL error = ts_fma(ts_real(TS_BOUND_TEST), radius2, bound);
  const TS_MASK beyond =
      ts_both(ts_less(ts_real(0.0), above),
              ts_less(ts_mul(ts_mul(ts_real(5.0), radius2), error), ts_mul(above, above)));
  return ts_both(beyond, ts_less(ts_mul(ts_real(TS_BOUND_BITS), bound), radius2));
}

/* A number of about 106 bits, as in kernels/deep/double_double.h. */
typedef struct {
  TS_REAL hi, lo;
} TsLong;

TS_FN TsLong ts_long(TS_REAL hi, TS_REAL lo) {
  TsLong a;
  a.hi = hi;
  a.lo = lo;
  return a;
}

TS_FN TsLong ts_long_quick_sum(TS_REAL a, TS_REAL b) {
  const TS_REAL sum = ts_add(a, b);
  return ts_long(sum, ts_sub(b, ts_sub(sum, a)));
}

TS_FN TsLong ts_long_sum(TS_REAL a, TS_REAL b) {
  const TS_REAL sum = ts_add(a, b);
  const TS_REAL b_part = ts_sub(sum, a);
  return ts_long(sum, ts_add(ts_sub(a, ts_sub(sum, b_part)), ts_sub(b, b_part)));
}

/* a + b, with an error below 2^-104 (|a| + |b|). */
TS_FN TsLong ts_long_plus(TsLong a, TsLong b) {
  const TsLong sum = ts_long_sum(a.hi, b.hi);
  return ts_long_quick_sum(sum.hi, ts_add(sum.lo, ts_add(a.lo, b.lo)));
}

/* a times an f64. */
TS_FN TsLong ts_long_times(TsLong a, TS_REAL b) {
  const TS_REAL product = ts_mul(a.hi, b);
  const TS_REAL rest = ts_neg(ts_fnma(a.hi, b, product));
  return ts_long_quick_sum(product, ts_fma(a.lo, b, rest));
}

/* a b + c d, with an error below 2^-101 (|a b| + |c d|). */
TS_FN TsLong ts_long_products(TsLong a, TsLong b, TsLong c, TsLong d) {
  const TS_REAL ab = ts_mul(a.hi, b.hi), cd = ts_mul(c.hi, d.hi);
  /* What the products lack, negated: ts_fnma(a, b, p) is p - a b. */
  const TS_REAL lack = ts_add(ts_fnma(a.hi, b.hi, ab), ts_fnma(c.hi, d.hi, cd));
  const TsLong sum = ts_long_sum(ab, cd);
  const TS_REAL cross =
      ts_fma(a.hi, b.lo, ts_fma(a.lo, b.hi, ts_fma(c.hi, d.lo, ts_mul(c.lo, d.hi))));
  return ts_long_quick_sum(sum.hi, ts_add(sum.lo, ts_sub(cross, lack)));
}

TS_FN TsLong ts_long_neg(TsLong a) {
  return ts_long(ts_neg(a.hi), ts_neg(a.lo));
}

TS_FN TsLong ts_long_abs(TsLong a) {
  const TS_BITS sign = ts_bits_and(ts_to_bits(a.hi), ts_bits(0x8000000000000000));
  return ts_long(ts_abs(a.hi), ts_from_bits(ts_bits_xor(ts_to_bits(a.lo), sign)));
}

/* A point of the plane. */
typedef struct {
  TsLong re, im;
} TsLongPoint;

TS_FN TsLongPoint ts_long_product(TsLongPoint a, TsLongPoint b) {
  TsLongPoint product;
  product.re = ts_long_products(a.re, b.re, ts_long_neg(a.im), b.im);
  product.im = ts_long_products(a.re, b.im, a.im, b.re);
  return product;
}

TS_FN TsLongPoint ts_long_square(TsLongPoint a) {
  TsLongPoint square;
  const TS_REAL twice = ts_add(a.re.hi, a.re.hi);
  const TS_REAL product = ts_mul(twice, a.im.hi);
  const TS_REAL lack = ts_fnma(twice, a.im.hi, product);
  const TS_REAL cross = ts_fma(twice, a.im.lo, ts_mul(ts_add(a.re.lo, a.re.lo), a.im.hi));
  square.re = ts_long_products(a.re, a.re, ts_long_neg(a.im), a.im);
  square.im = ts_long_quick_sum(product, ts_sub(cross, lack));
  return square;
}

/* z^2 + c in fewer operations. */
TS_FN TsLongPoint ts_long_square_plus(TsLongPoint z, TsLongPoint c) {
  TsLongPoint next;
  const TS_REAL x = z.re.hi, y = z.im.hi;
  const TS_REAL xx = ts_mul(x, x), yy = ts_mul(y, y);
  const TS_REAL twice_x = ts_add(x, x), twice_y = ts_add(y, y);
  /* What the products have too much. */
  const TS_REAL more = ts_sub(ts_fnma(x, x, xx), ts_fnma(y, y, yy));
  const TsLong difference = ts_long_sum(xx, ts_neg(yy));
  const TsLong re = ts_long_sum(difference.hi, c.re.hi);
  const TS_REAL cross_re = ts_fnma(twice_y, z.im.lo, ts_fma(twice_x, z.re.lo, c.re.lo));
  const TS_REAL xy = ts_mul(twice_x, y);
  const TS_REAL more_xy = ts_fnma(twice_x, y, xy);
  const TsLong im = ts_long_sum(xy, c.im.hi);
  const TS_REAL cross_im = ts_fma(twice_y, z.re.lo, ts_fma(twice_x, z.im.lo, c.im.lo));
  next.re = ts_long_quick_sum(re.hi, ts_add(ts_sub(ts_add(difference.lo, re.lo), more), cross_re));
  next.im = ts_long_quick_sum(im.hi, ts_add(ts_sub(im.lo, more_xy), cross_im));
  return next;
}

/* fold(z)^degree + c. */
TS_FN TsLongPoint ts_long_step(int fold, int degree, TsLongPoint z, TsLongPoint c) {
  TsLongPoint w;
  int digit = degree >= 8 ? 4 : degree >= 4 ? 2 : 1;
  if (fold == TS_FOLD_ABSOLUTE) {
    z.re = ts_long_abs(z.re);
    z.im = ts_long_abs(z.im);
  }
  if (fold == TS_FOLD_CONJUGATE) z.im = ts_long_neg(z.im);
  if (degree == 2) return ts_long_square_plus(z, c);
  w = z;
  for (; digit > 0; digit >>= 1) {
    w = ts_long_square(w);
    if ((degree & digit) != 0) w = ts_long_product(w, z);
  }
  w.re = ts_long_plus(w.re, c.re);
  w.im = ts_long_plus(w.im, c.im);
  return w;
}

/* A part of c at (u, v), offsets in pixels: what a row adds first, so that it is once for a row. */
TS_FN TsLong ts_long_coordinate(TsLong right, TS_REAL u, TsLong up, TS_REAL v, TsLong center) {
  return ts_long_plus(ts_long_times(right, u), ts_long_plus(ts_long_times(up, v), center));
}
