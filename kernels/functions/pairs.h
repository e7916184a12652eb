/* Sums, products and quotients in two parts, for the functions of this folder. Their text is in the
 * common subset of C++, CUDA C++ and OpenCL C. An entry file defines the number type, includes
 * tables.h, and then includes functions.h. There is no include guard, because one program may
 * include the text several times, in different namespaces.
 *
 * The entry defines the macros TS_FN (function qualifiers), TS_REAL (a number), TS_BITS (its bit
 * pattern), TS_MASK (a truth value for each number), with the operators + - * / on numbers and
 * + - & | ^ on bit patterns, and
 *
 *   ts_real(k) ts_sqrt ts_abs ts_neg     ts_fma(a, b, c) = ab + c     ts_fnma(a, b, c) = c - ab
 *   ts_bits(k) ts_to_bits ts_from_bits   ts_shift_left(bits, n) ts_shift_right(bits, n)
 *   ts_less(a, b) ts_equal(a, b) ts_both ts_either ts_not(mask) ts_none(mask) ts_if(mask, a, b)
 *   TS_TABLE(name, n), and TS_CONSTANTS, a pointer to a table
 *   TS_ROW(table, width, first, bits, &a, &b): two neighbours in a row of a table
 *   TS_ROW_OF_16(table, bits, &a, &b): the same of a table with 16 rows of two numbers
 *
 * ts_none is the only thing that a branch may depend on. All numbers are f64; operations are IEEE's
 * and round to nearest. */

/* An unevaluated sum. The second number is small; only factors, divisors and radicands need it to
 * be some units in the last place of the first one. */
typedef struct {
  TS_REAL hi, lo;
} TfPair;

TS_FN TfPair tf_pair(TS_REAL hi, TS_REAL lo) {
  TfPair pair;
  pair.hi = hi;
  pair.lo = lo;
  return pair;
}

TS_FN TS_REAL tf_sum_of(TfPair a) {
  return a.hi + a.lo;
}

/* a + b exactly, for |a| >= |b| or a = 0 (T. J. Dekker, 1971). */
TS_FN TfPair tf_fast_sum(TS_REAL a, TS_REAL b) {
  const TS_REAL sum = a + b;
  return tf_pair(sum, (a - sum) + b);
}

/* The same sum with a small second part. */
TS_FN TfPair tf_renormalized(TfPair a) {
  return tf_fast_sum(a.hi, a.lo);
}

/* a + b exactly (D. E. Knuth). */
TS_FN TfPair tf_sum(TS_REAL a, TS_REAL b) {
  const TS_REAL sum = a + b;
  const TS_REAL part = sum - a;
  return tf_pair(sum, (a - (sum - part)) + (b - part));
}

/* ab exactly. */
TS_FN TfPair tf_product(TS_REAL a, TS_REAL b) {
  const TS_REAL product = a * b;
  return tf_pair(product, ts_fma(a, b, ts_neg(product)));
}

TS_FN TfPair tf_times(TfPair a, TfPair b) {
  const TfPair product = tf_product(a.hi, b.hi);
  return tf_pair(product.hi, ts_fma(a.hi, b.lo, ts_fma(a.lo, b.hi, product.lo)));
}

TS_FN TfPair tf_quotient(TfPair a, TfPair b) {
  const TS_REAL inverse = ts_real(1.0) / b.hi;
  const TS_REAL quotient = a.hi * inverse;
  const TS_REAL rest = ts_fnma(quotient, b.hi, a.hi) + ts_fnma(quotient, b.lo, a.lo);
  return tf_pair(quotient, rest * inverse);
}

/* The root of a number that is not negative. */
TS_FN TfPair tf_root(TfPair a) {
  const TS_REAL root = ts_sqrt(a.hi);
  const TS_REAL rest = ts_fnma(root, root, a.hi) + a.lo;
  const TS_MASK zero = ts_equal(root, ts_real(0.0));
  return tf_pair(root, rest / ts_if(zero, ts_real(1.0), root + root));
}

TS_FN TfPair tf_if(TS_MASK mask, TfPair yes, TfPair no) {
  return tf_pair(ts_if(mask, yes.hi, no.hi), ts_if(mask, yes.lo, no.lo));
}

/* terms[0] + terms[1] x + ... */
TS_FN TS_REAL tf_polynomial(TS_CONSTANTS terms, int count, TS_REAL x) {
  TS_REAL sum = ts_real(terms[count - 1]);
  for (int i = count - 2; i >= 0; --i) sum = ts_fma(sum, x, ts_real(terms[i]));
  return sum;
}

/* The bits of a number with this exponent field, and no others. */
TS_FN TS_BITS tf_exponent(int field) {
  return ts_shift_left(ts_bits(field), 52);
}

TS_FN TS_BITS tf_sign(TS_REAL x) {
  return ts_to_bits(x) & ts_bits(0x8000000000000000);
}

TS_FN TS_REAL tf_with_sign(TS_REAL magnitude, TS_BITS sign) {
  return ts_from_bits(ts_to_bits(magnitude) ^ sign);
}

TS_FN TS_REAL tf_smaller(TS_REAL a, TS_REAL b) {
  return ts_if(ts_less(a, b), a, b);
}

TS_FN TS_REAL tf_larger(TS_REAL a, TS_REAL b) {
  return ts_if(ts_less(b, a), a, b);
}

TS_FN TS_REAL tf_nan() {
  return ts_from_bits(ts_bits(0x7FF8000000000000));
}

TS_FN TS_REAL tf_infinity() {
  return ts_from_bits(ts_bits(0x7FF0000000000000));
}

TS_FN TS_MASK tf_is_nan(TS_REAL x) {
  return ts_not(ts_equal(x, x));
}

/* NaN has many bit patterns, and processors differ in which one they return: here it is one. */
TS_FN TS_REAL tf_nan_of(TS_REAL x, TS_REAL result) {
  return ts_if(tf_is_nan(x), tf_nan(), result);
}

/* The integer nearest to |x| < 2^51, in the lowest bits of the result's bit pattern. */
#define TF_SHIFT 0x1.8p52

TS_FN TS_REAL tf_shifted(TS_REAL x, TS_REAL factor) {
  return ts_fma(x, factor, ts_real(TF_SHIFT));
}

TS_FN TS_REAL tf_unshifted(TS_REAL shifted) {
  return shifted - ts_real(TF_SHIFT);
}

/* The nearest integer to a number that is not negative. */
TS_FN TS_REAL tf_rounded(TS_REAL x) {
  const TS_REAL large = ts_real(0x1p52);
  return ts_if(ts_less(x, large), (x + large) - large, x);
}

/* The sum of a pair times a power of two, rounded once, where that is subnormal. `lowest` has the
 * bits of 2^-1022 divided by that power. The rounded sum has as many units as the result has units
 * of 2^-1074, as in glibc's exp. */
TS_FN TS_REAL tf_on_subnormal_grid(TfPair a, TS_BITS lowest) {
  const TS_REAL unit = ts_from_bits(lowest);
  const TS_REAL sum = unit + a.hi;
  const TS_REAL rest = ((unit - sum) + a.hi) + a.lo;
  return ts_from_bits(ts_to_bits(sum + rest) - lowest);
}
