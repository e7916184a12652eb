/* asin acos atan atan2: atan(n/d) = atan(j/16) + atan t with t = (n - d j/16) / (d + n j/16), sums
 * in two parts; S. Gal, B. Bachelis, An accurate elementary mathematical library, ACM TOMS 17
 * (1991). */

#include "kernels/functions/trigonometry.h"

/* atan(n/d) in [0, pi/4] for 0 <= n <= d, d a normal number. */
TS_FN TfPair tf_atan_below_1(TfPair n, TfPair d) {
  /* A row begins a little late, so that n and cd differ by less than a factor of 2. */
  const TS_REAL shifted = tf_shifted(tf_smaller(n.hi / d.hi, ts_real(0.9375)), ts_real(15.9));
  const TS_BITS row = ts_to_bits(shifted) & ts_bits(15);
  const TS_REAL c = tf_unshifted(shifted) * ts_real(0.0625);
  TfPair table;
  TS_ROW_OF_16(tf_atan_rows, row, &table.hi, &table.lo);
  const TfPair down = tf_product(c, d.hi);
  const TS_REAL above = n.hi - down.hi; /* exact, by that factor */
  const TS_REAL above_low = ts_fnma(c, d.lo, n.lo - down.lo);
  const TS_REAL below = ts_fma(c, n.hi, d.hi);
  const TS_REAL below_low = ts_fma(c, n.hi, d.hi - below) + ts_fma(c, n.lo, d.lo);
  const TfPair t = tf_quotient(tf_pair(above, above_low), tf_pair(below, below_low));
  const TS_REAL square = t.hi * t.hi;
  const TS_REAL terms = tf_polynomial(tf_atan_terms, TS_LENGTH(tf_atan_terms), square);
  const TfPair sum = tf_fast_sum(table.hi, t.hi);
  return tf_pair(sum.hi, (sum.lo + table.lo) + ts_fma(terms, square * t.hi, t.lo));
}

/* base - a for base >= a. */
TS_FN TfPair tf_less_from(TfPair base, TfPair a) {
  const TfPair sum = tf_fast_sum(base.hi, ts_neg(a.hi));
  return tf_pair(sum.hi, sum.lo + (base.lo - a.lo));
}

/* atan(n/d) in [0, pi/2] for n and d that are not negative, and not both 0. */
TS_FN TfPair tf_atan_of(TfPair n, TfPair d) {
  const TS_MASK steep = ts_less(d.hi, n.hi);
  const TfPair arc = tf_atan_below_1(tf_if(steep, d, n), tf_if(steep, n, d));
  const TfPair quarter = tf_pair(ts_real(TF_PI_BY_2), ts_real(TF_PI_BY_2_LOW));
  return tf_if(steep, tf_less_from(quarter, arc), arc);
}

TS_FN TS_REAL tf_atan(TS_REAL x) {
  const TfPair size = tf_pair(tf_smaller(ts_abs(x), ts_real(0x1p100)), ts_real(0.0));
  const TfPair arc = tf_atan_of(size, tf_pair(ts_real(1.0), ts_real(0.0)));
  const TS_REAL result = tf_with_sign(tf_sum_of(arc), tf_sign(x));
  return tf_nan_of(x, tf_unless_tiny(x, ts_real(0x1p-28), result));
}

/* The root of 1 - x^2. */
TS_FN TfPair tf_leg(TS_REAL size) {
  const TfPair square = tf_product(size, size);
  const TfPair less = tf_fast_sum(ts_real(1.0), ts_neg(square.hi));
  return tf_root(tf_fast_sum(less.hi, less.lo - square.lo));
}

TS_FN TS_REAL tf_arc_result(TS_REAL x, TS_REAL result) {
  return ts_if(ts_not(ts_less(ts_real(1.0), ts_abs(x))), tf_nan_of(x, result), tf_nan());
}

TS_FN TS_REAL tf_asin(TS_REAL x) {
  const TS_REAL size = tf_smaller(ts_abs(x), ts_real(1.0));
  const TfPair arc = tf_atan_of(tf_pair(size, ts_real(0.0)), tf_leg(size));
  const TS_REAL result = tf_with_sign(tf_sum_of(arc), tf_sign(x));
  return tf_arc_result(x, tf_unless_tiny(x, ts_real(0x1p-28), result));
}

TS_FN TS_REAL tf_acos(TS_REAL x) {
  const TS_REAL size = tf_smaller(ts_abs(x), ts_real(1.0));
  const TfPair arc = tf_atan_of(tf_leg(size), tf_pair(size, ts_real(0.0)));
  const TfPair straight = tf_pair(ts_real(TF_PI), ts_real(TF_PI_LOW));
  const TfPair result = tf_if(ts_less(x, ts_real(0.0)), tf_less_from(straight, arc), arc);
  return tf_arc_result(x, tf_sum_of(result));
}

/* The other arguments of atan2: zeros, infinities and numbers far from 1 become numbers with that
 * arc. */
TS_FN void tf_atan2_arguments(TS_REAL* n, TS_REAL* d) {
  const TS_REAL zero = ts_real(0.0);
  const TS_REAL one = ts_real(1.0);
  const TS_MASK n_endless = ts_equal(*n, tf_infinity());
  const TS_MASK d_endless = ts_equal(*d, tf_infinity());
  const TS_MASK endless = ts_either(n_endless, d_endless);
  const TS_REAL a = ts_if(endless, ts_if(n_endless, one, zero), *n);
  TS_REAL b = ts_if(endless, ts_if(d_endless, one, zero), *d);
  b = ts_if(ts_both(ts_equal(a, zero), ts_equal(b, zero)), one, b);
  const TS_REAL larger = tf_larger(a, b);
  const TS_REAL down = ts_if(ts_less(ts_real(0x1p400), larger), ts_real(0x1p-600), one);
  const TS_REAL scale = ts_if(ts_less(larger, ts_real(0x1p-400)), ts_real(0x1p600), down);
  *n = a * scale;
  *d = b * scale;
}

/* atan2(y, x) in the right half, where y/x is small: the quotient rounds to the nearest. */
TS_FN TS_REAL tf_atan2(TS_REAL y, TS_REAL x) {
  TS_REAL n = ts_abs(y);
  TS_REAL d = ts_abs(x);
  const TS_REAL larger = tf_larger(n, d);
  const TS_REAL smaller = tf_smaller(d, n);
  const TS_MASK moderate =
      ts_both(ts_less(ts_real(0x1p-400), smaller), ts_less(larger, ts_real(0x1p400)));
  const TS_MASK special = ts_not(ts_both(moderate, ts_less(larger * ts_real(0x1p-40), smaller)));
  const int usual = ts_none(special);
  if (!usual) tf_atan2_arguments(&n, &d);
  const TfPair arc = tf_atan_of(tf_pair(n, ts_real(0.0)), tf_pair(d, ts_real(0.0)));
  const TS_MASK left = ts_less(tf_with_sign(ts_real(1.0), tf_sign(x)), ts_real(0.0));
  const TfPair straight = tf_pair(ts_real(TF_PI), ts_real(TF_PI_LOW));
  const TfPair sum = tf_if(left, tf_less_from(straight, arc), arc);
  TS_REAL result = tf_sum_of(sum);
  if (!usual) {
    const TS_MASK flat = ts_both(ts_less(ts_abs(y), ts_abs(x) * ts_real(0x1p-30)), ts_not(left));
    result = ts_if(flat, ts_abs(y) / ts_abs(x), result);
  }
  result = tf_with_sign(result, tf_sign(y));
  return usual ? result : ts_if(ts_either(tf_is_nan(x), tf_is_nan(y)), tf_nan(), result);
}
