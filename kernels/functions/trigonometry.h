/* sin cos tan: x = n pi/32 + r with |r| <= pi/64, tables of 16 rows for a quarter of a turn, sums
 * in two parts. W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980), for n pi
 * / 32 in three parts; M. H. Payne, R. N. Hanek, Radian reduction for trigonometric functions
 * (1983), for |x| >= 2^28. */

#include "kernels/functions/powers.h"

/* The bits of n and r. */
typedef struct {
  TS_BITS turns;
  TfPair rest;
} TfAngle;

TS_FN TfAngle tf_angle_near(TS_REAL x) {
  TfAngle angle;
  const TS_REAL shifted = tf_shifted(x, ts_real(TF_32_BY_PI));
  const TS_REAL n = tf_unshifted(shifted);
  angle.turns = ts_to_bits(shifted);
  const TS_REAL first = ts_fnma(n, ts_real(TF_PI_BY_32_1), x); /* exact */
  const TfPair second = tf_product(n, ts_real(TF_PI_BY_32_2));
  const TfPair rest = tf_sum(first, ts_neg(second.hi));
  angle.rest = tf_pair(rest.hi, ts_fnma(n, ts_real(TF_PI_BY_32_3), rest.lo - second.lo));
  return angle;
}

/* x = m 2^(16 j - 24) with an integer m, so that m times 32/pi 2^(16 j - 24) may be taken
 * modulo 64. Each product and sum is exact, apart from the last bits. */
TS_FN TfAngle tf_angle_far(TS_REAL size) {
  const TS_BITS above = ts_to_bits(size) - tf_exponent(1051);
  const TS_BITS row = ts_shift_right(above, 56) & ts_bits(63);
  const TS_REAL m = size * ts_from_bits(tf_exponent(1047) - ts_shift_left(row, 56));
  TS_REAL a, b, c, d;
  TS_ROW(tf_turn_rows, 4, 0, row, &a, &b);
  TS_ROW(tf_turn_rows, 4, 2, row, &c, &d);
  const TfPair first = tf_product(m, a);
  const TfPair second = tf_product(m, b);
  const TfPair third = tf_product(m, c);
  const TS_REAL whole = tf_rounded(ts_abs(first.hi) * ts_real(0.015625)) * ts_real(64.0);
  const TS_REAL below_64 = first.hi - tf_with_sign(whole, tf_sign(first.hi));
  const TfPair sum = tf_sum(below_64, first.lo);
  const TfPair more = tf_sum(sum.hi, second.hi);
  TfAngle angle;
  const TS_REAL shifted = more.hi + ts_real(TF_SHIFT);
  angle.turns = ts_to_bits(shifted);
  TfPair all = tf_sum(more.hi - tf_unshifted(shifted), sum.lo);
  TS_REAL low = ts_fma(m, d, third.lo) + all.lo;
  all = tf_sum(all.hi, more.lo);
  low = low + all.lo;
  all = tf_sum(all.hi, second.lo);
  low = low + all.lo;
  all = tf_sum(all.hi, third.hi);
  low = low + all.lo;
  angle.rest =
      tf_times(tf_fast_sum(all.hi, low), tf_pair(ts_real(TF_PI_BY_32_1), ts_real(TF_PI_BY_32_2)));
  return angle;
}

/* Angles from 2^28 on have the sign of x reversed in both parts if x is negative. */
TS_FN TfAngle tf_angle(TS_REAL x) {
  TfAngle angle = tf_angle_near(x);
  const TS_MASK far = ts_not(ts_less(ts_abs(x), ts_real(0x1p28)));
  if (ts_none(far)) return angle;
  const TfAngle other = tf_angle_far(ts_abs(x));
  const TS_MASK negative = ts_less(x, ts_real(0.0));
  const TS_BITS sign = tf_sign(x);
  const TS_BITS reversed = ts_bits(0) - other.turns;
  const TS_REAL turns = ts_if(negative, ts_from_bits(reversed), ts_from_bits(other.turns));
  angle.turns = ts_to_bits(ts_if(far, turns, ts_from_bits(angle.turns)));
  angle.rest.hi = ts_if(far, tf_with_sign(other.rest.hi, sign), angle.rest.hi);
  angle.rest.lo = ts_if(far, tf_with_sign(other.rest.lo, sign), angle.rest.lo);
  return angle;
}

/* The sines and cosines of the table and of the rest, for sin(a + r) and cos(a + r). */
typedef struct {
  TfPair sine, cosine;   /* of a */
  TfPair rest;           /* r */
  TS_REAL sine_terms;    /* sin r - r */
  TS_REAL cosine_less_1; /* cos r - 1 */
} TfSines;

TS_FN TfSines tf_sines(TfAngle angle) {
  TfSines s;
  const TS_BITS row = angle.turns & ts_bits(15);
  TS_ROW_OF_16(tf_sin_rows, row, &s.sine.hi, &s.sine.lo);
  TS_ROW_OF_16(tf_cos_rows, row, &s.cosine.hi, &s.cosine.lo);
  const TS_REAL r = angle.rest.hi;
  const TS_REAL square = r * r;
  s.rest = angle.rest;
  s.sine_terms = tf_polynomial(tf_sin_terms, TS_LENGTH(tf_sin_terms), square) * (square * r);
  const TS_REAL cosine_terms = tf_polynomial(tf_cos_terms, TS_LENGTH(tf_cos_terms), square);
  s.cosine_less_1 = square * ts_fma(square, cosine_terms, ts_real(-0.5));
  return s;
}

/* p cos r + q sin r, where q is a sine or cosine, and p the other one. */
TS_FN TfPair tf_turned(TfPair p, TfPair q, TfSines s) {
  const TfPair product = tf_product(q.hi, s.rest.hi);
  const TfPair sum = tf_fast_sum(p.hi, product.hi);
  const TS_REAL low = ts_fma(q.lo, s.rest.hi, ts_fma(q.hi, s.rest.lo, product.lo + p.lo));
  const TS_REAL terms = ts_fma(q.hi, s.sine_terms, p.hi * s.cosine_less_1);
  return tf_pair(sum.hi, (sum.lo + low) + terms);
}

TS_FN TfPair tf_negative(TfPair a) {
  return tf_pair(ts_neg(a.hi), ts_neg(a.lo));
}

/* Selects angles in the second and fourth quarter. */
TS_FN TS_MASK tf_in_odd_quarter(TS_BITS turns) {
  const TS_BITS odd = ts_shift_left(turns, 59) & ts_bits(0x8000000000000000);
  return ts_less(ts_from_bits(odd | ts_bits(0x3FF0000000000000)), ts_real(0.0));
}

/* sin(x + quarters * pi/2). */
TS_FN TS_REAL tf_sine_of(TS_REAL x, TS_BITS turns, TfSines s) {
  const TS_MASK odd = tf_in_odd_quarter(turns);
  const TfPair result =
      tf_turned(tf_if(odd, s.cosine, s.sine), tf_if(odd, tf_negative(s.sine), s.cosine), s);
  const TS_BITS sign = ts_shift_left(turns, 58) & ts_bits(0x8000000000000000);
  const TS_REAL sine = tf_with_sign(tf_sum_of(result), sign);
  return ts_if(ts_less(ts_abs(x), tf_infinity()), sine, tf_nan());
}

TS_FN TS_REAL tf_sin(TS_REAL x) {
  const TfAngle angle = tf_angle(x);
  return tf_unless_tiny(x, ts_real(0x1p-28), tf_sine_of(x, angle.turns, tf_sines(angle)));
}

TS_FN TS_REAL tf_cos(TS_REAL x) {
  const TfAngle angle = tf_angle(x);
  return tf_sine_of(x, angle.turns + ts_bits(16), tf_sines(angle));
}

TS_FN TS_REAL tf_tan(TS_REAL x) {
  const TfAngle angle = tf_angle(x);
  const TfSines s = tf_sines(angle);
  const TfPair sine = tf_renormalized(tf_turned(s.sine, s.cosine, s));
  const TfPair cosine = tf_renormalized(tf_turned(s.cosine, tf_negative(s.sine), s));
  const TS_MASK odd = tf_in_odd_quarter(angle.turns);
  const TfPair tangent =
      tf_quotient(tf_if(odd, tf_negative(cosine), sine), tf_if(odd, sine, cosine));
  const TS_REAL result = tf_unless_tiny(x, ts_real(0x1p-28), tf_sum_of(tangent));
  return ts_if(ts_less(ts_abs(x), tf_infinity()), result, tf_nan());
}
