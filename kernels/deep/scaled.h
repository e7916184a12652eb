/* Numbers with exponents of 64 bits, for values far below f64's range: 1e-8000 and less. In the
 * common subset of C++, CUDA C++ and OpenCL C. Needs TS_FN, TS_I64, TS_U64, ts_fma, ts_sqrt,
 * ts_abs, ts_to_bits, ts_from_bits, and for complex numbers of f64 or of more bits
 *
 *   TS_OF_NUMBERS              before what depends on the type of number: template <class TsNumber>
 *                              in C++, nothing in C
 *   TS_NUMBER TS_COMPLEX       that type, and TsScaledComplex of it
 *   TS_TO_NUMBER(v)            an f64 as such a number
 *   tn_add tn_sub tn_mul(a, b) tn_scaled(a, power of two) tn_neg tn_leading(a)
 *   TS_DEFAULT(value)          an initial value of a member, in C++ */

/* Exponent of zero: below all others, and far from overflow in sums of a few exponents. */
#define TS_ZERO_EXPONENT (-((TS_I64)1 << 60))

/* A real number m 2^e with |m| in [1/2, 1), or zero, or infinity. */
struct TsScaled {
  double m TS_DEFAULT(0);
  TS_I64 e TS_DEFAULT(TS_ZERO_EXPONENT);
};

TS_FN double ts_infinity(void) {
  return ts_from_bits((TS_U64)0x7FF << 52);
}

/* 2^e for any e; 0 or infinity beyond f64's range. */
TS_FN double ts_power_of_two(TS_I64 e) {
  if (e < -1074) return 0.0;
  if (e < -1022) return ts_from_bits((TS_U64)1 << (e + 1074));
  return e > 1023 ? ts_infinity() : ts_from_bits((TS_U64)(e + 1023) << 52);
}

/* m with a = m 2^exponent, of a finite a that is not 0. */
TS_FN double ts_mantissa(double a, int* exponent) {
  const TS_U64 kept = ((TS_U64)1 << 63) | (((TS_U64)1 << 52) - 1);
  const int subnormal = (ts_to_bits(a) >> 52 & 0x7FF) == 0;
  const TS_U64 bits = ts_to_bits(subnormal ? a * 0x1p54 : a);
  *exponent = (int)(bits >> 52 & 0x7FF) - 1022 - (subnormal ? 54 : 0);
  return ts_from_bits((bits & kept) | (TS_U64)1022 << 52);
}

/* m 2^e for any m. */
TS_FN struct TsScaled ts_scaled(double m, TS_I64 e) {
  struct TsScaled a;
  int shift = 0;
  a.m = m;
  a.e = TS_ZERO_EXPONENT;
  if (ts_abs(m) > 0.0 && ts_abs(m) < ts_infinity()) {
    a.m = ts_mantissa(m, &shift);
    a.e = e + shift;
  }
  return a;
}

TS_FN int ts_is_scaled_zero(struct TsScaled a) {
  return a.m == 0.0;
}
TS_FN int ts_is_scaled_infinite(struct TsScaled a) {
  return ts_abs(a.m) == ts_infinity();
}

/* 0 or infinity beyond f64's range. */
TS_FN double ts_scaled_value(struct TsScaled a) {
  if (ts_is_scaled_zero(a) || ts_is_scaled_infinite(a)) return a.m;
  return a.m * ts_power_of_two(a.e);
}

TS_FN struct TsScaled ts_scaled_times(struct TsScaled a, struct TsScaled b) {
  if (ts_is_scaled_zero(a) || ts_is_scaled_zero(b)) return ts_scaled(0.0, 0);
  return ts_scaled(a.m * b.m, a.e + b.e);
}

TS_FN struct TsScaled ts_scaled_plus(struct TsScaled a, struct TsScaled b) {
  const TS_I64 e = a.e < b.e ? b.e : a.e;
  if (ts_is_scaled_zero(a) || ts_is_scaled_infinite(b)) return b;
  if (ts_is_scaled_zero(b) || ts_is_scaled_infinite(a)) return a;
  return ts_scaled(a.m * ts_power_of_two(a.e - e) + b.m * ts_power_of_two(b.e - e), e);
}

TS_FN int ts_scaled_less(struct TsScaled a, struct TsScaled b) {
  const int by_mantissa = ts_is_scaled_zero(a) || ts_is_scaled_zero(b) ||
                          ts_is_scaled_infinite(a) || ts_is_scaled_infinite(b) ||
                          (a.m < 0.0) != (b.m < 0.0) || a.e == b.e;
  return by_mantissa ? a.m < b.m : (a.e < b.e) == (a.m > 0.0);
}

/* m 2^e of one part of a complex number; 0 where it underflows. */
TS_FN double ts_part_value(double part, TS_I64 e) {
  return ts_scaled_value(ts_scaled(part, e));
}

/* (re + i im) 2^e; the larger part is in [1/2, 1), or both are zero. */
TS_OF_NUMBERS struct TsScaledComplex {
  TS_NUMBER re TS_DEFAULT({});
  TS_NUMBER im TS_DEFAULT({});
  TS_I64 e TS_DEFAULT(TS_ZERO_EXPONENT);
};

TS_OF_NUMBERS TS_FN TS_COMPLEX ts_normalized(TS_NUMBER re, TS_NUMBER im, TS_I64 e) {
  const double re_size = ts_abs(tn_leading(re)), im_size = ts_abs(tn_leading(im));
  const double largest = re_size < im_size ? im_size : re_size;
  TS_COMPLEX z;
  int shift = 0;
  z.re = z.im = TS_TO_NUMBER(0.0);
  z.e = TS_ZERO_EXPONENT;
  if (largest != 0.0) {
    double power;
    ts_mantissa(largest, &shift);
    if (shift < -1022) { /* 2^-shift is beyond f64 */
      re = tn_scaled(re, 0x1p60);
      im = tn_scaled(im, 0x1p60);
      e -= 60;
      shift += 60;
    }
    power = ts_power_of_two(-shift);
    z.re = tn_scaled(re, power);
    z.im = tn_scaled(im, power);
    z.e = e + shift;
  }
  return z;
}

TS_OF_NUMBERS TS_FN TS_COMPLEX ts_complex_times(TS_COMPLEX a, TS_COMPLEX b) {
  return ts_normalized(tn_sub(tn_mul(a.re, b.re), tn_mul(a.im, b.im)),
                       tn_add(tn_mul(a.re, b.im), tn_mul(a.im, b.re)), a.e + b.e);
}

TS_OF_NUMBERS TS_FN TS_COMPLEX ts_complex_plus(TS_COMPLEX a, TS_COMPLEX b) {
  const TS_I64 e = a.e < b.e ? b.e : a.e;
  const double of_a = ts_power_of_two(a.e - e), of_b = ts_power_of_two(b.e - e);
  return ts_normalized(tn_add(tn_scaled(a.re, of_a), tn_scaled(b.re, of_b)),
                       tn_add(tn_scaled(a.im, of_a), tn_scaled(b.im, of_b)), e);
}

TS_OF_NUMBERS TS_FN struct TsScaled ts_complex_size(TS_COMPLEX a) {
  const double re = tn_leading(a.re), im = tn_leading(a.im);
  return ts_scaled(ts_sqrt(ts_fma(re, re, im * im)), a.e);
}
