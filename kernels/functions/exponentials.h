/* exp exp2 expm1 sinh cosh tanh. P. T. P. Tang, Table-driven implementation of the exponential
 * function, ACM TOMS 15 (1989): e^x = 2^(n/16) e^r with |r| <= ln 2 / 32. The table has the f64
 * nearest to 2^(j/16), and the logarithm of what that lacks, which is added to r. */

#include "kernels/functions/pairs.h"

/* n in the lowest bits, r in two parts without that logarithm, and the row of n: the bits of a
 * number, less j in the bits above the row's place in an exponent, and the logarithm. */
typedef struct {
  TS_BITS n;
  TfPair rest;
  TS_BITS table;
} TfPower;

/* x = n / factor + first + ..., `rest` gets the logarithm of the table. */
TS_FN TfPower tf_power(TS_REAL shifted, TS_REAL first) {
  TfPower power;
  TS_REAL number;
  power.n = ts_to_bits(shifted);
  TS_ROW_OF_16(tf_exp2_rows, power.n & ts_bits(15), &number, &power.rest.lo);
  power.table = ts_to_bits(number);
  power.rest.hi = first;
  return power;
}

/* e^x, for |x| < 800. */
TS_FN TfPower tf_power_of_e(TS_REAL x) {
  const TS_REAL shifted = tf_shifted(x, ts_real(TF_16_BY_LN2));
  const TS_REAL n = tf_unshifted(shifted);
  TfPower power = tf_power(shifted, ts_fnma(n, ts_real(TF_LN2_BY_16), x)); /* exact */
  power.rest.lo = ts_fnma(n, ts_real(TF_LN2_BY_16_LOW), power.rest.lo);
  return power;
}

/* scale * e^r in two parts. */
TS_FN TfPair tf_times_power(TS_REAL scale, TfPair r) {
  const TS_REAL whole = tf_sum_of(r);
  const TS_REAL terms = tf_polynomial(tf_exp_terms, TS_LENGTH(tf_exp_terms), whole);
  const TS_REAL tail = ts_fma(whole * whole, ts_fma(terms, whole, ts_real(0.5)), r.lo);
  const TS_REAL first = ts_fma(scale, r.hi, scale);
  const TS_REAL error = ts_fma(scale, r.hi, scale - first);
  return tf_pair(first, ts_fma(scale, tail, error));
}

/* 2^(n/16), where it is a normal number. */
TS_FN TS_REAL tf_power_scale(TfPower power) {
  return ts_from_bits(power.table + ts_shift_left(power.n, 48));
}

/* The power where all its parts are normal numbers. */
TS_FN TfPair tf_power_near(TfPower power) {
  return tf_times_power(tf_power_scale(power), power.rest);
}

/* Where that may not be: rounded once, and once only where the result is subnormal. `factor` is a
 * power of two near 1. */
TS_FN TS_REAL tf_power_far(TfPower power, TS_REAL factor) {
  const TS_BITS row = power.n & ts_bits(15);
  const TS_BITS exponent = ts_shift_left(power.n - row, 48);
  const TS_REAL scale = ts_from_bits(power.table + ts_shift_left(row, 48)) * factor;
  const TfPair value = tf_times_power(scale, power.rest);
  const TS_REAL sum = tf_sum_of(value);
  /* n is positive: the power less 1000, which may overflow. */
  const TS_REAL large = sum * ts_real(0x1p1000) * ts_from_bits(exponent + tf_exponent(23));
  const TS_REAL size =
      sum * ts_from_bits(exponent + tf_exponent(1223)); /* 2^200 times the result */
  const TS_REAL plain = ts_from_bits(ts_to_bits(sum) + exponent);
  const TS_REAL small = tf_on_subnormal_grid(value, tf_exponent(1) - exponent);
  const TS_MASK positive = ts_less(ts_real(TF_SHIFT), ts_from_bits(power.n));
  return ts_if(positive, large, ts_if(ts_less(size, ts_real(0x1p-822)), small, plain));
}

TS_FN TS_REAL tf_clamped(TS_REAL x, TS_REAL limit) {
  return tf_larger(tf_smaller(x, limit), ts_neg(limit));
}

/* Arguments whose powers have parts that are no normal numbers. */
TS_FN TS_MASK tf_is_far(TS_REAL x) {
  return ts_not(ts_less(ts_abs(x), ts_real(600.0)));
}

TS_FN TS_REAL tf_exp_far(TS_REAL x, TS_REAL factor) {
  return tf_nan_of(x, tf_power_far(tf_power_of_e(tf_clamped(x, ts_real(750.0))), factor));
}

TS_FN TS_REAL tf_exp(TS_REAL x) {
  if (!ts_none(tf_is_far(x))) return tf_exp_far(x, ts_real(1.0));
  const TfPair power = tf_power_near(tf_power_of_e(x));
  return tf_sum_of(power);
}

TS_FN TfPower tf_power_of_2(TS_REAL x) {
  const TS_REAL shifted = tf_shifted(x, ts_real(16.0));
  const TS_REAL r = ts_fnma(tf_unshifted(shifted), ts_real(0.0625), x);
  const TfPair rest = tf_product(r, ts_real(TF_LN2));
  TfPower power = tf_power(shifted, rest.hi);
  power.rest.lo = ts_fma(r, ts_real(TF_LN2_LOW), rest.lo) + power.rest.lo;
  return power;
}

TS_FN TS_REAL tf_exp2(TS_REAL x) {
  if (!ts_none(tf_is_far(x))) {
    return tf_nan_of(x, tf_power_far(tf_power_of_2(tf_clamped(x, ts_real(1080.0))), ts_real(1.0)));
  }
  const TfPair power = tf_power_near(tf_power_of_2(x));
  return tf_sum_of(power);
}

/* e^x - 1 and e^x, both in two parts. */
typedef struct {
  TfPair less_1, whole;
} TfExpm1;

/* From the power, its scale, and the scale less 1. */
TS_FN TfExpm1 tf_expm1_pair(TfPower power, TS_REAL scale, TfPair scale_less_1) {
  /* e^r - 1 in two parts: r + r^2 / 2 + r^3 (...). */
  const TfPair r = tf_fast_sum(power.rest.hi, power.rest.lo);
  const TS_REAL halved = r.hi * ts_real(0.5);
  const TS_REAL square = halved * r.hi;
  const TS_REAL terms = tf_polynomial(tf_expm1_terms, TS_LENGTH(tf_expm1_terms), r.hi);
  const TS_REAL first = ts_fma(halved, r.hi, r.hi);
  const TS_REAL error = ts_fma(halved, r.hi, r.hi - first);
  const TS_REAL tail = ts_fma(square * (r.hi + r.hi), terms, ts_fma(r.hi, r.lo, r.lo));
  const TfPair part = tf_fast_sum(first, error + tail);

  const TfPair product = tf_product(scale, part.hi);
  const TS_REAL rest = ts_fma(scale, part.lo, product.lo);
  TfExpm1 result;
  const TfPair whole = tf_fast_sum(scale, product.hi);
  result.whole = tf_pair(whole.hi, whole.lo + rest);
  const TfPair sum = tf_fast_sum(scale_less_1.hi, product.hi);
  result.less_1 = tf_fast_sum(sum.hi, sum.lo + (scale_less_1.lo + rest));
  return result;
}

/* For 0 <= x < 600, where the scale is at least 1. */
TS_FN TfExpm1 tf_expm1_above_0(TS_REAL x) {
  const TfPower power = tf_power_of_e(x);
  const TS_REAL scale = tf_power_scale(power);
  return tf_expm1_pair(power, scale, tf_fast_sum(scale, ts_real(-1.0)));
}

/* x itself where x^2 / 2 is below a unit in the last place of x, and for -0. */
TS_FN TS_REAL tf_unless_tiny(TS_REAL x, TS_REAL limit, TS_REAL result) {
  return ts_if(ts_less(ts_abs(x), limit), x, result);
}

TS_FN TS_REAL tf_expm1(TS_REAL x) {
  const TfPower power = tf_power_of_e(tf_clamped(x, ts_real(500.0)));
  const TS_REAL scale = tf_power_scale(power);
  const TfPair near = tf_expm1_pair(power, scale, tf_sum(scale, ts_real(-1.0))).less_1;
  const TS_REAL result = tf_unless_tiny(x, ts_real(0x1p-60), tf_sum_of(near));
  if (ts_none(ts_not(ts_less(ts_abs(x), ts_real(500.0))))) return result;
  const TS_MASK large = ts_less(ts_real(500.0), x);
  return ts_if(large, tf_exp_far(x, ts_real(1.0)), tf_nan_of(x, result));
}

/* sinh x = (E + E / (E + 1)) / 2 with E = e^|x| - 1. */
TS_FN TS_REAL tf_sinh(TS_REAL x) {
  const TS_REAL size = ts_abs(x);
  const TfExpm1 power = tf_expm1_above_0(tf_smaller(size, ts_real(500.0)));
  const TfPair ratio = tf_quotient(power.less_1, power.whole);
  const TfPair sum = tf_fast_sum(power.less_1.hi, ratio.hi);
  TS_REAL result = ts_real(0.5) * (sum.hi + (sum.lo + (power.less_1.lo + ratio.lo)));
  const TS_MASK far = ts_not(ts_less(size, ts_real(500.0)));
  if (!ts_none(far)) result = ts_if(far, tf_exp_far(size, ts_real(0.5)), result);
  return tf_nan_of(x, tf_with_sign(result, tf_sign(x)));
}

/* cosh x = (e^|x| + 1 / e^|x|) / 2. */
TS_FN TS_REAL tf_cosh(TS_REAL x) {
  const TS_REAL size = ts_abs(x);
  const TfPair power =
      tf_renormalized(tf_power_near(tf_power_of_e(tf_smaller(size, ts_real(500.0)))));
  const TfPair ratio = tf_quotient(tf_pair(ts_real(1.0), ts_real(0.0)), power);
  const TfPair sum = tf_fast_sum(power.hi, ratio.hi);
  const TS_REAL result = ts_real(0.5) * (sum.hi + (sum.lo + (power.lo + ratio.lo)));
  const TS_MASK far = ts_not(ts_less(size, ts_real(500.0)));
  return ts_none(far) ? result : ts_if(far, tf_exp_far(size, ts_real(0.5)), result);
}

/* tanh x = E / (E + 2) with E = e^(2|x|) - 1. */
TS_FN TS_REAL tf_tanh(TS_REAL x) {
  const TS_REAL size = tf_smaller(ts_abs(x), ts_real(22.0));
  const TfExpm1 power = tf_expm1_above_0(size + size);
  const TfPair sum = tf_fast_sum(power.whole.hi, ts_real(1.0));
  const TfPair ratio = tf_quotient(power.less_1, tf_pair(sum.hi, sum.lo + power.whole.lo));
  return tf_nan_of(x, tf_with_sign(tf_sum_of(ratio), tf_sign(x)));
}
