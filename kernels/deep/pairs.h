/* Complex numbers within f64's range, whose parts are f64 or have more bits, in the common subset
 * of C++, CUDA C++ and OpenCL C. Their errors are relative to the sizes of the terms. Needs TS_FN,
 * ts_fma, ts_abs, what kernels/deep/scaled.h needs for complex numbers, and
 *
 *   TS_PAIR                              the type below
 *   tn_plus(a, b) tn_twice_plus(a, b)    a + b, 2 a + b
 *   tn_products(a, b, c, d)              a b + c d
 *   tn_products_plus(a, b, c, d, e)      a b + c d + e
 *   tn_equal(a, b)                       whether all bits are the same, and none is NaN's */

TS_OF_NUMBERS struct TsPair { TS_NUMBER re, im; };

TS_OF_NUMBERS TS_FN TS_PAIR ts_pair(TS_NUMBER re, TS_NUMBER im) {
  TS_PAIR a;
  a.re = re;
  a.im = im;
  return a;
}

TS_OF_NUMBERS TS_FN TS_PAIR ts_plus(TS_PAIR a, TS_PAIR b) {
  return ts_pair(tn_plus(a.re, b.re), tn_plus(a.im, b.im));
}

/* Right even where a and b cancel, as they do where an orbit comes near 0. */
TS_OF_NUMBERS TS_FN TS_PAIR ts_accurate_sum(TS_PAIR a, TS_PAIR b) {
  return ts_pair(tn_add(a.re, b.re), tn_add(a.im, b.im));
}

TS_OF_NUMBERS TS_FN TS_PAIR ts_twice_plus(TS_PAIR a, TS_PAIR b) {
  return ts_pair(tn_twice_plus(a.re, b.re), tn_twice_plus(a.im, b.im));
}

TS_OF_NUMBERS TS_FN TS_PAIR ts_times(TS_PAIR a, TS_PAIR b) {
  return ts_pair(tn_products(a.re, b.re, tn_neg(a.im), b.im), tn_products(a.re, b.im, a.im, b.re));
}

TS_OF_NUMBERS TS_FN TS_PAIR ts_times_and_plus(TS_PAIR a, TS_PAIR b, TS_PAIR c) {
  return ts_pair(tn_products_plus(a.re, b.re, tn_neg(a.im), b.im, c.re),
                 tn_products_plus(a.re, b.im, a.im, b.re, c.im));
}

TS_OF_NUMBERS TS_FN TS_PAIR ts_scaled_pair(TS_PAIR a, double power) {
  return ts_pair(tn_scaled(a.re, power), tn_scaled(a.im, power));
}

/* |re + i im|^2 */
TS_FN double ts_square_size(double re, double im) {
  return ts_fma(re, re, im * im);
}

/* The square of the size, by the leading bits. */
TS_OF_NUMBERS TS_FN double ts_pair_size2(TS_PAIR a) {
  return ts_square_size(tn_leading(a.re), tn_leading(a.im));
}
TS_OF_NUMBERS TS_FN double ts_sum_of_parts(TS_PAIR a) {
  return ts_abs(tn_leading(a.re)) + ts_abs(tn_leading(a.im));
}

/* |z|^2 - R^2 of numbers of more bits, also where f64, which has |z|^2 = radius2, cannot tell. */
TS_OF_NUMBERS TS_FN double ts_above(TS_PAIR z, double radius2, double bailout2) {
  const double rough = radius2 - bailout2;
  if (ts_abs(rough) > 1e-9 * bailout2) return rough;
  return tn_leading(tn_sub(tn_add(tn_mul(z.re, z.re), tn_mul(z.im, z.im)), TS_TO_NUMBER(bailout2)));
}

TS_OF_NUMBERS TS_FN TS_NUMBER ts_absolute(TS_NUMBER r) {
  return tn_leading(r) < 0.0 ? tn_neg(r) : r;
}

/* |r + d| - |r|. Both cases are continued by each other, so that rounding may choose either. */
TS_OF_NUMBERS TS_FN TS_NUMBER ts_absolute_difference(TS_NUMBER r, TS_NUMBER d) {
  const TS_NUMBER size = ts_absolute(r);
  const TS_NUMBER along = tn_leading(r) < 0.0 ? tn_neg(d) : d;
  if (tn_leading(tn_add(size, along)) >= 0.0) return along;
  return tn_neg(tn_add(tn_add(size, size), along));
}

/* The same of scale d, divided by the scale. */
TS_FN double ts_scaled_difference_of(double r, double d, double scale) {
  const double size = ts_abs(r), along = r < 0.0 ? -d : d;
  if (size + scale * along >= 0.0) return along;
  return -((size + size) / scale + along);
}
