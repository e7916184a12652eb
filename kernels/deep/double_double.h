/* Numbers of about 106 bits: unevaluated sums of two f64, as in T. J. Dekker, "A floating-point
 * technique for extending the available precision" (1971), with fma for exact products. Every
 * operation has the same bits on every machine. In the common subset of C++, CUDA C++ and OpenCL C.
 * Needs TS_FN, ts_fma and TS_DEFAULT. Compile without contraction. */

struct DoubleDouble {
  double hi TS_DEFAULT(0);
  double lo TS_DEFAULT(0); /* at most half a unit in the last place of hi */
};

TS_FN struct DoubleDouble tn_parts(double hi, double lo) {
  struct DoubleDouble a;
  a.hi = hi;
  a.lo = lo;
  return a;
}

/* a + b, exactly, for |a| >= |b|. */
TS_FN struct DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return tn_parts(sum, b - (sum - a));
}

/* a + b, exactly. */
TS_FN struct DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return tn_parts(sum, (a - (sum - b_part)) + (b - b_part));
}

/* a b, exactly, unless it underflows. */
TS_FN struct DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return tn_parts(product, ts_fma(a, b, -product));
}

TS_FN double tn_leading(struct DoubleDouble a) {
  return a.hi;
}

TS_FN int tn_equal(struct DoubleDouble a, struct DoubleDouble b) {
  return a.hi == b.hi && a.lo == b.lo;
}

TS_FN struct DoubleDouble tn_neg(struct DoubleDouble a) {
  return tn_parts(-a.hi, -a.lo);
}

/* Relative error below 2^-104. */
TS_FN struct DoubleDouble tn_add(struct DoubleDouble a, struct DoubleDouble b) {
  struct DoubleDouble sum = two_sum(a.hi, b.hi);
  const struct DoubleDouble low = two_sum(a.lo, b.lo);
  sum = quick_two_sum(sum.hi, sum.lo + low.hi);
  return quick_two_sum(sum.hi, sum.lo + low.lo);
}

TS_FN struct DoubleDouble tn_sub(struct DoubleDouble a, struct DoubleDouble b) {
  return tn_add(a, tn_neg(b));
}

/* Relative error below 2^-103. */
TS_FN struct DoubleDouble tn_mul(struct DoubleDouble a, struct DoubleDouble b) {
  struct DoubleDouble product = two_product(a.hi, b.hi);
  product.lo += ts_fma(a.hi, b.lo, a.lo * b.hi);
  return quick_two_sum(product.hi, product.lo);
}

TS_FN struct DoubleDouble tn_mul_f64(struct DoubleDouble a, double b) {
  struct DoubleDouble product = two_product(a.hi, b);
  product.lo = ts_fma(a.lo, b, product.lo);
  return quick_two_sum(product.hi, product.lo);
}

/* a times a power of two, exactly, unless it underflows. */
TS_FN struct DoubleDouble tn_scaled(struct DoubleDouble a, double power) {
  return tn_parts(a.hi * power, a.lo * power);
}

/* a + b in half the operations, with an error below 2^-104 (|a| + |b|). */
TS_FN struct DoubleDouble tn_plus(struct DoubleDouble a, struct DoubleDouble b) {
  const struct DoubleDouble sum = two_sum(a.hi, b.hi);
  return quick_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

/* 2 a + b, likewise. */
TS_FN struct DoubleDouble tn_twice_plus(struct DoubleDouble a, struct DoubleDouble b) {
  return tn_plus(tn_parts(2 * a.hi, 2 * a.lo), b);
}

/* a b + c d with an error below 2^-101 (|a b| + |c d|). */
TS_FN struct DoubleDouble tn_products(struct DoubleDouble a, struct DoubleDouble b,
                                      struct DoubleDouble c, struct DoubleDouble d) {
  const struct DoubleDouble ab = two_product(a.hi, b.hi);
  const struct DoubleDouble cd = two_product(c.hi, d.hi);
  const struct DoubleDouble sum = two_sum(ab.hi, cd.hi);
  const double cross = ts_fma(a.hi, b.lo, ts_fma(a.lo, b.hi, ts_fma(c.hi, d.lo, c.lo * d.hi)));
  return quick_two_sum(sum.hi, sum.lo + ((ab.lo + cd.lo) + cross));
}

/* a b + c d + e, likewise. */
TS_FN struct DoubleDouble tn_products_plus(struct DoubleDouble a, struct DoubleDouble b,
                                           struct DoubleDouble c, struct DoubleDouble d,
                                           struct DoubleDouble e) {
  return tn_plus(tn_products(a, b, c, d), e);
}
