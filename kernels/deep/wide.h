/* Complex numbers of 190 bits with an exponent of 64 bits, for the few pixels that 106 bits leave
 * uncertain: fixed-point parts that share the exponent. In the common subset of C++, CUDA C++ and
 * OpenCL C. Needs kernels/deep/scaled.h, and
 *
 *   ts_multiply_add(a, b, c, d, high)  the low 64 bits of a b + c + d; the others go to *high
 *   ts_leading_zeros(a)              of 64 bits that are not all 0 */

/* A two's complement integer; the lowest 64 bits are the first. */
struct TsLimbs3 {
  TS_U64 at[3];
};
struct TsLimbs6 {
  TS_U64 at[6];
};

/* (re + i im) 2^(e - 190); the larger part is at least 2^189, and no part is above 2^190. Or zero.
 */
struct TsWide {
  struct TsLimbs3 re TS_DEFAULT({});
  struct TsLimbs3 im TS_DEFAULT({});
  TS_I64 e TS_DEFAULT(TS_ZERO_EXPONENT);
};

TS_FN struct TsWide ts_wide_zero(void) {
  const struct TsWide zero = {{{0, 0, 0}}, {{0, 0, 0}}, TS_ZERO_EXPONENT};
  return zero;
}

/* The bits above an integer. */
TS_FN TS_U64 ts_sign_limb(TS_U64 highest) {
  return (TS_U64)0 - (highest >> 63);
}

TS_FN struct TsLimbs3 ts_negated3(struct TsLimbs3 a) {
  TS_U64 carry = 1;
  int i;
  for (i = 0; i < 3; ++i) {
    a.at[i] = ~a.at[i] + carry;
    carry &= a.at[i] == 0;
  }
  return a;
}

/* a + b, or with signs of all ones instead of all zeros, -a and -b. */
TS_FN struct TsLimbs6 ts_signed_sum(struct TsLimbs6 a, TS_U64 a_sign, struct TsLimbs6 b,
                                    TS_U64 b_sign) {
  TS_U64 carry = (a_sign & 1) + (b_sign & 1);
  int i;
  for (i = 0; i < 6; ++i) {
    a.at[i] = ts_multiply_add(a.at[i] ^ a_sign, 1, b.at[i] ^ b_sign, carry, &carry);
  }
  return a;
}

TS_FN struct TsLimbs3 ts_size3(struct TsLimbs3 a) {
  return a.at[2] >> 63 != 0 ? ts_negated3(a) : a;
}

/* The product of two integers of at most 2^190 that are not negative, exactly. */
TS_FN struct TsLimbs6 ts_product(struct TsLimbs3 a, struct TsLimbs3 b) {
  struct TsLimbs6 result = {{0, 0, 0, 0, 0, 0}};
  int i, j;
  for (i = 0; i < 3; ++i) {
    TS_U64 carry = 0;
    for (j = 0; j < 3; ++j) {
      result.at[i + j] = ts_multiply_add(a.at[i], b.at[j], result.at[i + j], carry, &carry);
    }
    result.at[i + 3] = carry;
  }
  return result;
}

/* The bits of the highest limbs of a after `shift`, which is below 64. */
TS_FN struct TsLimbs3 ts_highest(struct TsLimbs6 a, int shift) {
  struct TsLimbs3 result;
  int i;
  for (i = 0; i < 3; ++i) {
    result.at[i] = a.at[i + 3] << shift | a.at[i + 2] >> 1 >> (63 - shift);
  }
  return result;
}

TS_FN struct TsLimbs6 ts_left_by_a_limb(struct TsLimbs6 a) {
  int i;
  for (i = 5; i > 0; --i) a.at[i] = a.at[i - 1];
  a.at[0] = 0;
  return a;
}

/* The highest bits of integers times 2^unit, rounded down: the error is below 2^-188 of the larger
 * part. The integers have two bits to spare. */
TS_FN struct TsWide ts_wide(struct TsLimbs6 re, struct TsLimbs6 im, TS_I64 unit) {
  const TS_U64 re_sign = ts_sign_limb(re.at[5]), im_sign = ts_sign_limb(im.at[5]);
  struct TsWide z = ts_wide_zero();
  int left;
  /* Limb by limb, so that a GPU's limbs are in registers. */
  for (left = 0; left < 384; left += 64) {
    const TS_U64 used = (re.at[5] ^ re_sign) | (im.at[5] ^ im_sign);
    const TS_U64 next = (re.at[4] ^ re_sign) | (im.at[4] ^ im_sign);
    if (used != 0 || next >> 62 != 0) {
      const int shift = used != 0 ? ts_leading_zeros(used) - 2 : ts_leading_zeros(next) + 62;
      z.re = ts_highest(re, shift);
      z.im = ts_highest(im, shift);
      z.e = unit + 382 - left - shift;
      break;
    }
    re = ts_left_by_a_limb(re);
    im = ts_left_by_a_limb(im);
  }
  return z;
}

/* Relative error below 2^-187. */
TS_APART struct TsWide ts_wide_times(struct TsWide a, struct TsWide b) {
  const TS_U64 ar_sign = ts_sign_limb(a.re.at[2]), ai_sign = ts_sign_limb(a.im.at[2]);
  const TS_U64 br_sign = ts_sign_limb(b.re.at[2]), bi_sign = ts_sign_limb(b.im.at[2]);
  const struct TsLimbs3 ar = ts_size3(a.re), ai = ts_size3(a.im);
  const struct TsLimbs3 br = ts_size3(b.re), bi = ts_size3(b.im);
  return ts_wide(
      ts_signed_sum(ts_product(ar, br), ar_sign ^ br_sign, ts_product(ai, bi),
                    ~(ai_sign ^ bi_sign)),
      ts_signed_sum(ts_product(ar, bi), ar_sign ^ bi_sign, ts_product(ai, br), ai_sign ^ br_sign),
      a.e + b.e - 380);
}

/* a 2^-right, rounded down to a multiple of 2^64. The highest limb is one of sign. */
TS_FN struct TsLimbs6 ts_right(struct TsLimbs6 a, int right) {
  int i;
  for (; right >= 64; right -= 64) {
    for (i = 1; i < 5; ++i) a.at[i] = a.at[i + 1];
  }
  for (i = 1; i < 5; ++i) a.at[i] = a.at[i] >> right | a.at[i + 1] << 1 << (63 - right);
  a.at[0] = 0;
  return a;
}

/* a 2^(128 - right), rounded down to a multiple of 2^64. */
TS_FN struct TsLimbs6 ts_spread(struct TsLimbs3 a, int right) {
  const struct TsLimbs6 spread = {{0, 0, a.at[0], a.at[1], a.at[2], ts_sign_limb(a.at[2])}};
  return ts_right(spread, right);
}

/* Error below 2^-187 of the sum and 2^-250 of the larger term. */
TS_APART struct TsWide ts_wide_plus(struct TsWide a, struct TsWide b) {
  const int swapped = a.e < b.e;
  const struct TsWide high = swapped ? b : a, low = swapped ? a : b;
  const TS_I64 right = high.e - low.e;
  if (right >= 256) return high;
  return ts_wide(ts_signed_sum(ts_spread(high.re, 0), 0, ts_spread(low.re, (int)right), 0),
                 ts_signed_sum(ts_spread(high.im, 0), 0, ts_spread(low.im, (int)right), 0),
                 high.e - 318);
}

TS_FN struct TsWide ts_wide_twice(struct TsWide a) {
  ++a.e;
  return a;
}

TS_FN struct TsWide ts_wide_conjugate(struct TsWide a) {
  a.im = ts_negated3(a.im);
  return a;
}

/* An f64 that is not 0, exactly. */
TS_FN struct TsWide ts_wide_from(double re) {
  struct TsWide z = ts_wide_zero();
  int e = 0;
  z.re.at[2] = (TS_U64)(ts_mantissa(ts_abs(re), &e) * 0x1p62);
  if (re < 0.0) z.re = ts_negated3(z.re);
  z.e = e;
  return z;
}

/* A part of a number with the exponent 0, as f64. */
TS_FN double ts_leading(struct TsLimbs3 part) {
  const struct TsLimbs3 size = ts_size3(part);
  const double value = (double)size.at[2] * 0x1p-62 + (double)size.at[1] * 0x1p-126;
  return part.at[2] >> 63 != 0 ? -value : value;
}

/* Parts near those of a within 2^-52; 0 beyond f64's range. */
TS_FN double ts_wide_re(struct TsWide a) {
  return ts_part_value(ts_leading(a.re), a.e);
}
TS_FN double ts_wide_im(struct TsWide a) {
  return ts_part_value(ts_leading(a.im), a.e);
}

/* A part of a number with the exponent 0, from its highest limb: within 2^-52 of the larger part.
 */
TS_FN double ts_rough(struct TsLimbs3 part) {
  return (double)(TS_I64)part.at[2] * 0x1p-62;
}

/* |a|^2 */
TS_FN struct TsScaled ts_wide_size2(struct TsWide a) {
  const double re = ts_rough(a.re), im = ts_rough(a.im);
  return ts_scaled(ts_fma(re, re, im * im), 2 * a.e);
}
TS_FN struct TsScaled ts_wide_size(struct TsWide a) {
  const double re = ts_rough(a.re), im = ts_rough(a.im);
  return ts_scaled(ts_sqrt(ts_fma(re, re, im * im)), a.e);
}
/* At least |a|, and at most 1.5 |a|. */
TS_FN struct TsScaled ts_wide_bound(struct TsWide a) {
  return ts_scaled(ts_abs(ts_rough(a.re)) + ts_abs(ts_rough(a.im)), a.e);
}

/* |a + b| of a sum that does not cancel. */
TS_FN struct TsScaled ts_wide_size_of_sum(struct TsWide a, struct TsWide b) {
  const TS_I64 e = a.e < b.e ? b.e : a.e;
  const double of_a = ts_power_of_two(a.e - e), of_b = ts_power_of_two(b.e - e);
  const double re = ts_fma(ts_rough(b.re), of_b, ts_rough(a.re) * of_a);
  const double im = ts_fma(ts_rough(b.im), of_b, ts_rough(a.im) * of_a);
  return ts_scaled(ts_sqrt(ts_fma(re, re, im * im)), e);
}

TS_FN int ts_wide_equal(struct TsWide a, struct TsWide b) {
  TS_U64 differing = (TS_U64)(a.e ^ b.e);
  int i;
  for (i = 0; i < 3; ++i) differing |= (a.re.at[i] ^ b.re.at[i]) | (a.im.at[i] ^ b.im.at[i]);
  return differing == 0;
}
