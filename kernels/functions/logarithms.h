/* log log2 log10 log1p. P. T. P. Tang, Table-driven implementation of the logarithm function, ACM
 * TOMS 16 (1990), with sums in two parts: x = 2^k z, and log x = k ln 2 + log c + log1p(z/c - 1)
 * with c in the middle of one of 16 intervals of z. */

#include "kernels/functions/exponentials.h"

/* x = 2^k z with z in [2/3, 4/3). `above` are the bits of x less those of the first z, plus 2^63.
 */
typedef struct {
  TS_REAL z, k;
  TS_BITS above;
} TfLogParts;

/* `first` are the bits of the first z. */
TS_FN TfLogParts tf_log_parts(TS_REAL x, TS_BITS first) {
  TfLogParts parts;
  parts.above = ts_to_bits(x) - (first ^ ts_bits(0x8000000000000000));
  parts.z = ts_from_bits((parts.above & ts_bits(0x000FFFFFFFFFFFFF)) + first);
  /* 2048 + k in the lowest bits of 2^52 + 2048 + k. */
  const TS_BITS biased = ts_shift_right(parts.above, 52) | ts_bits(0x4330000000000000);
  parts.k = ts_from_bits(biased) - ts_real(0x1p52 + 2048);
  return parts;
}

/* 1/c and log c. */
typedef struct {
  TS_REAL inverse;
  TfPair log;
} TfLogRow;

TS_FN TfLogRow tf_log_row(TfLogParts parts) {
  const TS_BITS row = ts_shift_right(parts.above, 48) & ts_bits(15);
  TfLogRow result;
  TS_REAL nothing;
  TS_ROW_OF_16(tf_log_rows, row, &result.inverse, &result.log.lo);
  TS_ROW_OF_16(tf_log_first_rows, row, &result.log.hi, &nothing);
  return result;
}

/* log(1 + r) = r - r^2 / 2 + ... added to k ln 2 + log c. */
TS_FN TfPair tf_log_sum(TS_REAL k, TfPair table, TfPair r) {
  const TS_REAL terms = tf_polynomial(tf_log_terms, TS_LENGTH(tf_log_terms), r.hi);
  const TS_REAL halved = r.hi * ts_real(0.5);
  const TS_REAL cube = halved * r.hi * r.hi;
  const TfPair sum = tf_fast_sum(ts_fma(k, ts_real(TF_LN2_SHORT), table.hi), r.hi);
  const TS_REAL less = ts_fnma(halved, r.hi, sum.hi);
  const TS_REAL error = ts_fnma(halved, r.hi, sum.hi - less);
  const TS_REAL low = ts_fma(k, ts_real(TF_LN2_REST), table.lo) + ts_fnma(r.hi, r.lo, r.lo);
  return tf_pair(less, (sum.lo + error) + ts_fma(cube, terms, low));
}

TS_FN TfPair tf_log_of_parts(TfLogParts parts) {
  const TfLogRow row = tf_log_row(parts);
  const TfPair ratio = tf_product(parts.z, row.inverse);
  return tf_log_sum(parts.k, row.log, tf_pair(ratio.hi - ts_real(1.0), ratio.lo));
}

/* Numbers that are not normal, negative ones, and NaN. */
TS_FN TS_MASK tf_not_normal(TS_REAL x) {
  return ts_not(ts_both(ts_less(ts_real(0x1.fffffffffffffp-1023), x), ts_less(x, tf_infinity())));
}

/* Parts of positive numbers that may be subnormal. */
TS_FN TfLogParts tf_log_parts_of_any(TS_REAL x, TS_BITS first) {
  const TS_MASK small = ts_less(x, ts_real(0x1p-1022));
  TfLogParts parts = tf_log_parts(ts_if(small, x * ts_real(0x1p54), x), first);
  parts.k = parts.k - ts_if(small, ts_real(54.0), ts_real(0.0));
  return parts;
}

/* Logarithms of 0, infinity, negative numbers and NaN. */
TS_FN TS_REAL tf_log_of_special(TS_REAL x, TS_REAL result) {
  const TS_REAL finite = ts_if(ts_less(x, tf_infinity()), result, x);
  const TS_REAL zero = ts_if(ts_equal(x, ts_real(0.0)), ts_neg(tf_infinity()), finite);
  const TS_MASK nan = ts_either(tf_is_nan(x), ts_less(x, ts_real(0.0)));
  return ts_if(nan, tf_nan(), zero);
}

/* log x times a factor. */
TS_FN TS_REAL tf_log_times(TS_REAL x, TS_REAL factor, TS_REAL factor_low) {
  const TS_BITS first = ts_bits(TF_LOG_FIRST);
  const TfPair by = tf_pair(factor, factor_low);
  if (ts_none(tf_not_normal(x)))
    return tf_sum_of(tf_times(tf_log_of_parts(tf_log_parts(x, first)), by));
  const TfPair log = tf_log_of_parts(tf_log_parts_of_any(x, first));
  return tf_log_of_special(x, tf_sum_of(tf_times(log, by)));
}

TS_FN TS_REAL tf_log(TS_REAL x) {
  const TS_BITS first = ts_bits(TF_LOG_FIRST);
  if (ts_none(tf_not_normal(x))) return tf_sum_of(tf_log_of_parts(tf_log_parts(x, first)));
  return tf_log_of_special(x, tf_sum_of(tf_log_of_parts(tf_log_parts_of_any(x, first))));
}

TS_FN TS_REAL tf_log2(TS_REAL x) {
  return tf_log_times(x, ts_real(TF_LOG2_E), ts_real(TF_LOG2_E_LOW));
}

TS_FN TS_REAL tf_log10(TS_REAL x) {
  return tf_log_times(x, ts_real(TF_LOG10_E), ts_real(TF_LOG10_E_LOW));
}

TS_FN TS_REAL tf_log1p(TS_REAL x) {
  const TfPair sum = tf_sum(ts_real(1.0), tf_smaller(x, ts_real(0x1.fffffffffffffp1023)));
  const TfLogParts parts = tf_log_parts(sum.hi, ts_bits(TF_LOG_FIRST));
  const TfLogRow row = tf_log_row(parts);
  const TfPair ratio = tf_product(parts.z, row.inverse);
  /* The second part of 1 + x counts until 2^60. */
  const TS_BITS exponent =
      (parts.above & ts_bits(0xFFF0000000000000)) ^ ts_bits(0x8000000000000000);
  const TS_REAL scale = ts_from_bits(tf_exponent(1023) - exponent);
  const TS_REAL low = ts_if(ts_less(x, ts_real(0x1p60)), sum.lo * scale, ts_real(0.0));
  const TS_REAL r = ratio.hi - ts_real(1.0);
  const TS_REAL r_low = ts_fma(low, row.inverse, ratio.lo);
  /* tf_log_sum multiplies the second part by 1 - r; 1 / (1 + r) is closer to (1 - r) (1 + r^2). */
  const TfPair rest = tf_pair(r, ts_fma(r * r, r_low, r_low));
  /* Near 1 the row is that of c = 1, and x itself has all bits. */
  const TS_MASK close = ts_less(ts_abs(x), ts_real(0.02));
  const TfPair log = tf_log_sum(parts.k, row.log, tf_if(close, tf_pair(x, ts_real(0.0)), rest));
  const TS_REAL result = tf_unless_tiny(x, ts_real(0x1p-60), tf_sum_of(log));
  const TS_MASK special = ts_not(ts_both(ts_less(ts_real(-1.0), x), ts_less(x, tf_infinity())));
  if (ts_none(special)) return result;
  return ts_if(special, tf_log_of_special(ts_real(1.0) + x, result), result);
}
