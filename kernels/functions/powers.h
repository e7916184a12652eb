/* pow hypot cbrt. The logarithm of pow is S. Nagy's of ARM's optimized-routines (MIT), with 256
 * rows: its error is below 2^-68 of the logarithm. */

#include "kernels/functions/logarithms.h"

TS_FN TfPair tf_precise_log(TfLogParts parts) {
  const TS_BITS row = ts_shift_right(parts.above, 44) & ts_bits(255);
  TfPair table;
  TS_REAL inverse, nothing;
  TS_ROW(tf_pow_rows, 4, 0, row, &inverse, &table.hi);
  TS_ROW(tf_pow_rows, 4, 2, row, &table.lo, &nothing);
  const TS_REAL r = ts_fma(parts.z, inverse, ts_real(-1.0)); /* exact: 1/c has few bits */
  const TS_REAL halved = r * ts_real(0.5);
  const TS_REAL cube = halved * r * r;
  const TS_REAL terms = tf_polynomial(tf_pow_terms, TS_LENGTH(tf_pow_terms), r);
  const TfPair sum = tf_fast_sum(ts_fma(parts.k, ts_real(TF_LN2_SHORT), table.hi), r);
  const TS_REAL less = ts_fnma(halved, r, sum.hi);
  const TS_REAL error = ts_fnma(halved, r, sum.hi - less);
  const TS_REAL low = ts_fma(parts.k, ts_real(TF_LN2_REST), table.lo) + sum.lo;
  return tf_fast_sum(less, ts_fma(cube, terms, low + error));
}

TS_FN TS_MASK tf_is_whole(TS_REAL size) {
  return ts_equal(tf_rounded(size), size);
}

/* C's special cases of x^y; `result` is |x|^y for a positive finite |x| and a finite y. */
TS_FN TS_REAL tf_pow_of_special(TS_REAL x, TS_REAL y, TS_REAL result) {
  const TS_REAL zero = ts_real(0.0);
  const TS_REAL one = ts_real(1.0);
  const TS_REAL size = ts_abs(x);
  const TS_REAL y_size = ts_abs(y);
  const TS_MASK below = ts_less(y, zero);
  const TS_MASK whole = tf_is_whole(y_size);
  const TS_MASK odd = ts_both(whole, ts_not(tf_is_whole(y_size * ts_real(0.5))));
  const TS_REAL to_zero = ts_if(below, tf_infinity(), zero);
  const TS_REAL to_infinity = ts_if(below, zero, tf_infinity());
  TS_REAL power = ts_if(ts_equal(size, zero), to_zero, result);
  power = ts_if(ts_equal(size, tf_infinity()), to_infinity, power);
  const TS_REAL endless = ts_if(ts_less(size, one), to_zero, to_infinity);
  power = ts_if(ts_equal(y_size, tf_infinity()), ts_if(ts_equal(size, one), one, endless), power);
  const TS_MASK negative = ts_less(ts_if(ts_equal(x, zero), one / x, x), zero);
  power = ts_if(ts_both(negative, odd), ts_neg(power), power);
  const TS_MASK finite = ts_less(size, tf_infinity());
  const TS_MASK no_power = ts_both(ts_both(ts_less(x, zero), finite), ts_not(whole));
  power = ts_if(ts_either(ts_either(tf_is_nan(x), tf_is_nan(y)), no_power), tf_nan(), power);
  return ts_if(ts_either(ts_equal(x, one), ts_equal(y, zero)), one, power);
}

/* y log x in two parts. */
TS_FN TfPair tf_pow_exponent(TS_REAL y, TfPair log) {
  const TfPair product = tf_product(y, log.hi);
  return tf_pair(product.hi, ts_fma(y, log.lo, product.lo));
}

TS_FN TfPower tf_pow_power(TfPair exponent) {
  TfPower power = tf_power_of_e(exponent.hi);
  power.rest.lo = power.rest.lo + exponent.lo;
  return power;
}

/* x^y for any x and y. */
TS_FN TS_REAL tf_pow_of_any(TS_REAL x, TS_REAL y) {
  const TfLogParts parts = tf_log_parts_of_any(ts_abs(x), ts_bits(TF_POW_FIRST));
  TfPair exponent = tf_pow_exponent(y, tf_precise_log(parts));
  const TS_MASK near = ts_less(ts_abs(exponent.hi), ts_real(750.0));
  exponent.lo = ts_if(near, exponent.lo, ts_real(0.0));
  exponent.hi = ts_if(near, exponent.hi, tf_with_sign(ts_real(750.0), tf_sign(exponent.hi)));
  return tf_pow_of_special(x, y, tf_power_far(tf_pow_power(exponent), ts_real(1.0)));
}

/* x^y = e^(y log x). */
TS_FN TS_REAL tf_pow(TS_REAL x, TS_REAL y) {
  const TfLogParts parts = tf_log_parts(x, ts_bits(TF_POW_FIRST));
  const TfPair exponent = tf_pow_exponent(y, tf_precise_log(parts));
  /* An infinite y makes an exponent that is far or no number. */
  if (!ts_none(ts_either(tf_not_normal(x), tf_is_far(exponent.hi)))) return tf_pow_of_any(x, y);
  const TfPair power = tf_power_near(tf_pow_power(exponent));
  return tf_sum_of(power);
}

/* The root of x^2 + y^2, in two parts. Numbers far from 1 are scaled. */
TS_FN TS_REAL tf_hypot(TS_REAL x, TS_REAL y) {
  TS_REAL large = tf_larger(ts_abs(x), ts_abs(y));
  TS_REAL small = tf_smaller(ts_abs(y), ts_abs(x));
  const TS_MASK far_up = ts_not(ts_less(large, ts_real(0x1p500)));
  const TS_MASK far_down = ts_not(ts_less(ts_real(0x1p-450), small));
  const int usual = ts_none(ts_either(far_up, far_down));
  TS_REAL scale = ts_real(1.0);
  if (!usual) {
    const TS_MASK tiny = ts_less(large, ts_real(0x1p-400));
    scale = ts_if(far_up, ts_real(0x1p-600), ts_if(tiny, ts_real(0x1p600), scale));
    large = large * scale;
    small = small * scale;
  }
  const TfPair first = tf_product(large, large);
  const TfPair second = tf_product(small, small);
  const TfPair sum = tf_fast_sum(first.hi, second.hi);
  const TfPair root = tf_root(tf_fast_sum(sum.hi, sum.lo + (first.lo + second.lo)));
  const TS_REAL result = tf_sum_of(root);
  if (usual) return result;
  const TS_MASK up = ts_less(scale, ts_real(1.0));
  const TS_MASK down = ts_less(ts_real(1.0), scale);
  const TS_REAL low =
      ts_if(ts_less(result, ts_real(0x1p-422)),
            tf_on_subnormal_grid(root, ts_bits(0x2590000000000000)), result * ts_real(0x1p-600));
  const TS_REAL finite = ts_if(down, low, ts_if(up, result * ts_real(0x1p600), result));
  const TS_MASK endless =
      ts_either(ts_equal(ts_abs(x), tf_infinity()), ts_equal(ts_abs(y), tf_infinity()));
  const TS_MASK nan = ts_either(tf_is_nan(x), tf_is_nan(y));
  return ts_if(endless, tf_infinity(), ts_if(nan, tf_nan(), finite));
}

/* Householder's iteration of z^(-1/3) from a polynomial, then one step of Newton in two parts. */
TS_FN TS_REAL tf_cbrt(TS_REAL x) {
  const TS_REAL size = ts_abs(x);
  const TS_MASK special = tf_not_normal(size);
  const int usual = ts_none(special);
  const TS_REAL zero = ts_real(0.0);
  TS_REAL y = size;
  TS_REAL less = zero;
  if (!usual) {
    const TS_MASK small = ts_less(size, ts_real(0x1p-1022));
    y = ts_if(small, size * ts_real(0x1p54), size);
    less = ts_if(small, ts_real(18.0), zero);
  }
  /* y = 2^(3 third + more) z with z in [1, 2) and more = -1, 0, 1. */
  const TS_BITS bits = ts_to_bits(y);
  const TS_REAL exponent =
      ts_from_bits(ts_shift_right(bits, 52) | ts_bits(0x4330000000000000)) - ts_real(0x1p52 + 1023);
  const TS_REAL third = tf_unshifted(tf_shifted(exponent, ts_real(0x1.5555555555555p-2)));
  const TS_REAL more = ts_fnma(third, ts_real(3.0), exponent);
  const TS_BITS third_bits = ts_shift_left(ts_to_bits(tf_shifted(third, ts_real(1.0))), 52);
  const TS_REAL z =
      ts_from_bits((bits & ts_bits(0x000FFFFFFFFFFFFF)) | ts_bits(0x3FF0000000000000));
  const TS_MASK up = ts_less(zero, more);
  const TS_MASK down = ts_less(more, zero);
  const TS_REAL m = z * ts_if(up, ts_real(2.0), ts_if(down, ts_real(0.5), ts_real(1.0)));
  const TS_REAL factor =
      ts_if(up, ts_real(TF_CBRT_4 / 2), ts_if(down, ts_real(TF_CBRT_2), ts_real(1.0)));

  TS_REAL inverse = factor * tf_polynomial(tf_cbrt_terms, TS_LENGTH(tf_cbrt_terms), z);
  const TS_REAL error = ts_fnma(m * inverse, inverse * inverse, ts_real(1.0));
  const TS_REAL step =
      error * ts_fma(error, ts_real(0x1.c71c71c71c71cp-3), ts_real(0x1.5555555555555p-2));
  inverse = ts_fma(inverse, step, inverse);
  const TS_REAL root = m * (inverse * inverse);
  const TfPair square = tf_product(root, root);
  const TfPair cube = tf_product(square.hi, root);
  const TS_REAL rest = (m - cube.hi) - ts_fma(square.lo, root, cube.lo);
  const TS_REAL correction = rest * (inverse * inverse) * ts_real(0x1.5555555555555p-2);
  const TS_REAL scaled = ts_from_bits(ts_to_bits(root + correction) + third_bits);
  const TS_REAL result =
      tf_with_sign(scaled * ts_if(ts_less(zero, less), ts_real(0x1p-18), ts_real(1.0)), tf_sign(x));
  if (usual) return result;
  const TS_MASK same = ts_either(ts_equal(x, zero), ts_equal(size, tf_infinity()));
  return tf_nan_of(x, ts_if(same, x, result));
}
