/* The operations of expressions on one element, in the subset that CUDA C++ and OpenCL C share:
 * ts_on_NAME(arguments, type) for the operations of kernels/gpu/expression_arguments.h, with values
 * as in its registers. An entry file (kernels/cuda/expression.cu, kernels/opencl/expression.cl)
 * defines what kernels/gpu/load.h needs, the functions of kernels/functions, and floor(), ceil()
 * and rint() of f64.
 *
 * f32 is computed as f64 and rounded to f32. For + - * / and roots, the result is that of f32's
 * operation, because f64 has at least 2 * 24 + 2 bits (S. A. Figueroa, When is double rounding
 * innocuous?, SIGNUM Newsletter 30, 1995), and subnormal f32 need nothing of the device. */

#include "kernels/gpu/load.h"

#define TS_IS_REAL(type) ((type) >= TS_TYPE_F16)
#define TS_IS_SIGNED(type) ((type) < TS_TYPE_U8)
#define TS_SIGN_BIT 0x8000000000000000

/* `size` with the sign of x. */
TS_FN double ts_signed_as(double size, double x) {
  return ts_from_bits((ts_to_bits(size) & ~(TS_U64)TS_SIGN_BIT) | (ts_to_bits(x) & TS_SIGN_BIT));
}

/* The nearest f32. A subnormal one is the nearest multiple of 2^-149. */
TS_FN double ts_in_f32(double x) {
  const double size = ts_abs(x);
  const double grid = 0x1.8p-97;
  if (size < 0x1p-126) return ts_signed_as((size + grid) - grid, x);
  return (double)(float)x;
}

/* The bits of an f32 that is given as f64. */
TS_FN TS_U32 ts_f32_bits(double x) {
  const double size = ts_abs(x);
  if (size < 0x1p-126) {
    return (TS_U32)(ts_to_bits(x) >> 63) << 31 | (TS_U32)ts_mul(size, 0x1p149);
  }
  return TS_FLOAT_BITS((float)x);
}

/* Rounded to the type. */
TS_FN double ts_in(double x, TS_U32 type) {
  return type == TS_TYPE_F32 ? ts_in_f32(x) : x;
}
TS_FN TS_U64 ts_real_result(double x, TS_U32 type) {
  return ts_to_bits(ts_in(x, type));
}

/* Modulo 2^bits of the integer type, extended with its sign. */
TS_FN TS_U64 ts_wrapped(TS_U64 x, TS_U32 type) {
  const TS_U32 unused_bits = 64 - (8u << type % 4);
  return TS_IS_SIGNED(type) ? TS_EXTEND_SIGNED(x, unused_bits) : TS_EXTEND_UNSIGNED(x, unused_bits);
}

TS_FN int ts_is_negative(TS_U64 x, TS_U32 type) {
  return TS_IS_SIGNED(type) && x >> 63 != 0;
}
TS_FN TS_U64 ts_magnitude(TS_U64 x, TS_U32 type) {
  return ts_is_negative(x, type) ? 0 - x : x;
}

/* The remainder of |x| / |y| with the sign of x, exactly, as C's fmod. */
TS_FN double ts_fmod(double x, double y) {
  const double size = ts_abs(x);
  const double divisor = ts_abs(y);
  const double infinity = ts_from_bits(0x7FF0000000000000);
  if (!(size < infinity) || y != y || divisor == 0.0) {
    return ts_from_bits(0x7FF8000000000000);
  }
  if (size < divisor) return x;
  TS_U32 field = (TS_U32)(ts_to_bits(size) >> 52);
  TS_U32 divisor_field = (TS_U32)(ts_to_bits(divisor) >> 52);
  TS_U64 rest = ts_to_bits(size) & 0x000FFFFFFFFFFFFF;
  TS_U64 units = ts_to_bits(divisor) & 0x000FFFFFFFFFFFFF;
  if (field > 0) rest |= 0x0010000000000000;
  if (divisor_field > 0) units |= 0x0010000000000000;
  if (field == 0) field = 1;
  if (divisor_field == 0) divisor_field = 1;
  rest %= units;
  for (TS_U32 left = field - divisor_field; left > 0 && rest != 0;) {
    const TS_U32 bits = left < 11 ? left : 11; /* rest is below 2^53 */
    rest = (rest << bits) % units;
    left -= bits;
  }
  /* In units of 2^(divisor_field - 1075). */
  const double unit = ts_from_bits(divisor_field > 52 ? (TS_U64)(divisor_field - 52) << 52
                                                      : (TS_U64)1 << (divisor_field - 1));
  return ts_signed_as(ts_mul((double)rest, unit), x);
}

/* As floor_remainder() and floor_quotient() of src/expression/arithmetic.hpp, step by step. */
TS_FN double ts_floor_remainder(double x, double y, TS_U32 type) {
  const double rest = ts_fmod(x, y);
  if (y == 0.0) return rest;
  if (rest == 0.0) return ts_signed_as(0.0, y);
  return (y < 0.0) != (rest < 0.0) ? ts_in(rest + y, type) : rest;
}
TS_FN double ts_floor_quotient(double x, double y, TS_U32 type) {
  if (y == 0.0) return ts_in(ts_div(x, y), type);
  const double rest = ts_fmod(x, y);
  double quotient = ts_in(ts_div(ts_in(x - rest, type), y), type);
  if (rest != 0.0 && (y < 0.0) != (rest < 0.0)) quotient = ts_in(quotient - 1.0, type);
  if (quotient == 0.0) return ts_signed_as(0.0, ts_signed_as(1.0, x) * ts_signed_as(1.0, y));
  const double down = floor(quotient);
  return ts_in(quotient - down, type) > 0.5 ? ts_in(down + 1.0, type) : down;
}

/* x y + z, rounded once to f32: the sum in f64 is first made odd where it is not exact. */
TS_FN double ts_fma_in_f32(double x, double y, double z) {
  const double product = ts_mul(x, y); /* exact */
  const double sum = product + z;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (z - part);
  const TS_U64 bits = ts_to_bits(sum);
  if (error != 0.0 && error == error && bits % 2 == 0) {
    return ts_in_f32(ts_from_bits((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1));
  }
  return ts_in_f32(sum);
}

TS_FN TS_U64 ts_integer_power(TS_U64 x, TS_U64 y, TS_U32 type) {
  if (ts_is_negative(y, type)) {
    if (x == 1) return 1;
    if (x == (TS_U64)0 - 1) return y % 2 == 0 ? 1 : x;
    return 0;
  }
  TS_U64 result = 1;
  for (; y != 0; y >>= 1) {
    if ((y & 1) != 0) result *= x;
    x *= x;
  }
  return ts_wrapped(result, type);
}

/* Exact, by truncation; the nearest integer of the type if x is outside, 0 for NaN. */
TS_FN TS_U64 ts_to_integer(double x, TS_U32 type) {
  const TS_U32 bits = (8u << type % 4) - (TS_IS_SIGNED(type) ? 1 : 0);
  const double end = ts_from_bits((TS_U64)(1023 + bits) << 52); /* 2^bits */
  const double low = TS_IS_SIGNED(type) ? -end : 0.0;
  const TS_U64 most = ~(TS_U64)0 >> (64 - bits);
  if (x >= end) return most;
  if (x >= low) return TS_IS_SIGNED(type) ? (TS_U64)(TS_I64)x : (TS_U64)x;
  return x < low && TS_IS_SIGNED(type) ? ~most : 0;
}

TS_FN double ts_integer_to_real(TS_U64 x, TS_U32 type, TS_U32 to) {
  if (to == TS_TYPE_F32) {
    return TS_IS_SIGNED(type) ? (double)(float)(TS_I64)x : (double)(float)x;
  }
  return TS_IS_SIGNED(type) ? (double)(TS_I64)x : (double)x;
}

TS_FN TS_U64 ts_on_cast(TS_U64 x, TS_U32 type, TS_U32 to) {
  if (TS_IS_REAL(type) && TS_IS_REAL(to)) return ts_real_result(ts_from_bits(x), to);
  if (TS_IS_REAL(type)) return ts_to_integer(ts_from_bits(x), to);
  if (TS_IS_REAL(to)) return ts_to_bits(ts_integer_to_real(x, type, to));
  return ts_wrapped(x, to);
}

/* Element `index` of an array. An f16 is its bits. */
TS_FN TS_U64 ts_on_load(const struct TsMap* call, TS_GLOBAL const unsigned char* memory,
                        TS_U64 array, TS_U32 type, TS_U64 index) {
  const TS_U64 at = call->arrays[array];
  TS_GLOBAL const unsigned char* data;
  if ((call->counts >> array & 1) != 0) return at + index;
  data = memory + at;
  if (type == TS_TYPE_F16) return ((TS_GLOBAL const unsigned short*)data)[index];
  return TS_IS_REAL(type) ? ts_to_bits(ts_load_real(data, type, index))
                          : ts_load_integer(data, type, index);
}

TS_FN void ts_store_result(const struct TsMapResult* result, TS_GLOBAL unsigned char* memory,
                           TS_U64 index, TS_U64 x) {
  TS_GLOBAL unsigned char* const to = memory + result->to;
  const TS_U32 type = result->type;
  if (type == TS_TYPE_F32) {
    ((TS_GLOBAL TS_U32*)to)[index] = ts_f32_bits(ts_from_bits(x));
  } else if (type == TS_TYPE_F16 || (type < TS_TYPE_F16 && type % 4 == 1)) {
    ((TS_GLOBAL unsigned short*)to)[index] = (unsigned short)x;
  } else if (type == TS_TYPE_F64 || type % 4 == 3) {
    ((TS_GLOBAL TS_U64*)to)[index] = x;
  } else if (type % 4 == 2) {
    ((TS_GLOBAL TS_U32*)to)[index] = (TS_U32)x;
  } else {
    to[index] = (unsigned char)x;
  }
}

TS_FN TS_U64 ts_on_widen_half(TS_U64 x, TS_U32 type) {
  (void)type;
  return ts_to_bits(ts_widen_f16((TS_U32)x));
}

/* As statistics::half_bits(), of an f16. */
TS_FN TS_U64 ts_on_narrow_half(TS_U64 x, TS_U32 type) {
  const TS_U64 sign = x >> 48 & 0x8000;
  const TS_U64 size = x & ~(TS_U64)TS_SIGN_BIT;
  (void)type;
  if (size > 0x7FF0000000000000) return 0x7E00;
  if (size == 0x7FF0000000000000) return sign | 0x7C00;
  if (size < 0x3F10000000000000) { /* a multiple of 2^-24 */
    return sign | (TS_U64)ts_mul(ts_from_bits(size), 0x1p24);
  }
  return sign | ((size >> 42) - ((TS_U64)1008 << 10));
}

/* As statistics::round_to_half(). */
TS_FN TS_U64 ts_on_round_half(TS_U64 x, TS_U32 type) {
  const TS_U64 binade = x & 0x7FF0000000000000;
  const TS_U64 least = 0x3F10000000000000; /* 2^-14, the least normal f16 */
  const double grid = ts_mul(ts_from_bits(binade < least ? least : binade), 0x1.8p42);
  const double size = ts_from_bits(x & ~(TS_U64)TS_SIGN_BIT);
  const TS_U64 rounded = size >= 65520.0 ? 0x7FF0000000000000 : ts_to_bits((size + grid) - grid);
  (void)type;
  return size != size ? x : rounded | (x & TS_SIGN_BIT);
}

TS_FN TS_U64 ts_on_negate(TS_U64 x, TS_U32 type) {
  return TS_IS_REAL(type) ? x ^ TS_SIGN_BIT : ts_wrapped(0 - x, type);
}
TS_FN TS_U64 ts_on_absolute(TS_U64 x, TS_U32 type) {
  return TS_IS_REAL(type) ? x & ~(TS_U64)TS_SIGN_BIT : ts_wrapped(ts_magnitude(x, type), type);
}
TS_FN TS_U64 ts_on_sign(TS_U64 x, TS_U32 type) {
  if (TS_IS_REAL(type)) {
    const double real = ts_from_bits(x);
    if (real != real) return x;
    return ts_to_bits(real > 0.0 ? 1.0 : real < 0.0 ? -1.0 : 0.0);
  }
  return ts_is_negative(x, type) ? (TS_U64)0 - 1 : x != 0;
}
TS_FN TS_U64 ts_on_complement(TS_U64 x, TS_U32 type) {
  return ts_wrapped(~x, type);
}
TS_FN TS_U64 ts_on_square_root(TS_U64 x, TS_U32 type) {
  return ts_real_result(ts_sqrt(ts_from_bits(x)), type);
}
TS_FN TS_U64 ts_on_floor(TS_U64 x, TS_U32 type) {
  (void)type;
  return ts_to_bits(floor(ts_from_bits(x)));
}
TS_FN TS_U64 ts_on_ceil(TS_U64 x, TS_U32 type) {
  (void)type;
  return ts_to_bits(ceil(ts_from_bits(x)));
}
TS_FN TS_U64 ts_on_rint(TS_U64 x, TS_U32 type) {
  (void)type;
  return ts_to_bits(rint(ts_from_bits(x)));
}
TS_FN TS_U64 ts_on_is_nan(TS_U64 x, TS_U32 type) {
  (void)type;
  return (x & ~(TS_U64)TS_SIGN_BIT) > 0x7FF0000000000000;
}
TS_FN TS_U64 ts_on_is_finite(TS_U64 x, TS_U32 type) {
  (void)type;
  return (x & ~(TS_U64)TS_SIGN_BIT) < 0x7FF0000000000000;
}

#define TS_ON_NUMBERS(name, op)                                      \
  TS_FN TS_U64 ts_on_##name(TS_U64 x, TS_U64 y, TS_U32 type) {       \
    if (!TS_IS_REAL(type)) return ts_wrapped(x op y, type);          \
    return ts_real_result(ts_from_bits(x) op ts_from_bits(y), type); \
  }
TS_ON_NUMBERS(add, +)
TS_ON_NUMBERS(subtract, -)
TS_ON_NUMBERS(multiply, *)
#undef TS_ON_NUMBERS

TS_FN TS_U64 ts_on_divide(TS_U64 x, TS_U64 y, TS_U32 type) {
  return ts_real_result(ts_div(ts_from_bits(x), ts_from_bits(y)), type);
}
TS_FN TS_U64 ts_on_floor_divide(TS_U64 x, TS_U64 y, TS_U32 type) {
  if (TS_IS_REAL(type)) {
    return ts_to_bits(ts_floor_quotient(ts_from_bits(x), ts_from_bits(y), type));
  }
  if (y == 0) return 0;
  const TS_U64 quotient = ts_magnitude(x, type) / ts_magnitude(y, type);
  const TS_U64 rest = ts_magnitude(x, type) % ts_magnitude(y, type);
  if (ts_is_negative(x, type) == ts_is_negative(y, type)) return ts_wrapped(quotient, type);
  return ts_wrapped(0 - quotient - (rest != 0), type);
}
TS_FN TS_U64 ts_on_modulo(TS_U64 x, TS_U64 y, TS_U32 type) {
  if (TS_IS_REAL(type)) {
    return ts_to_bits(ts_floor_remainder(ts_from_bits(x), ts_from_bits(y), type));
  }
  if (y == 0) return 0;
  const TS_U64 rest = ts_magnitude(x, type) % ts_magnitude(y, type);
  const TS_U64 of_x = ts_is_negative(x, type) ? 0 - rest : rest;
  const int differ = rest != 0 && ts_is_negative(x, type) != ts_is_negative(y, type);
  return differ ? of_x + y : of_x;
}
TS_FN TS_U64 ts_on_power(TS_U64 x, TS_U64 y, TS_U32 type) {
  return ts_integer_power(x, y, type);
}

TS_FN TS_U64 ts_on_less(TS_U64 x, TS_U64 y, TS_U32 type) {
  if (TS_IS_REAL(type)) return ts_from_bits(x) < ts_from_bits(y);
  return TS_IS_SIGNED(type) ? (TS_I64)x < (TS_I64)y : x < y;
}
TS_FN TS_U64 ts_on_less_equal(TS_U64 x, TS_U64 y, TS_U32 type) {
  if (TS_IS_REAL(type)) return ts_from_bits(x) <= ts_from_bits(y);
  return TS_IS_SIGNED(type) ? (TS_I64)x <= (TS_I64)y : x <= y;
}
TS_FN TS_U64 ts_on_equal(TS_U64 x, TS_U64 y, TS_U32 type) {
  return TS_IS_REAL(type) ? ts_from_bits(x) == ts_from_bits(y) : x == y;
}
TS_FN TS_U64 ts_on_not_equal(TS_U64 x, TS_U64 y, TS_U32 type) {
  return TS_IS_REAL(type) ? ts_from_bits(x) != ts_from_bits(y) : x != y;
}
TS_FN TS_U64 ts_on_minimum(TS_U64 x, TS_U64 y, TS_U32 type) {
  return ts_on_less_equal(x, y, type) || (TS_IS_REAL(type) && ts_on_is_nan(x, type)) ? x : y;
}
TS_FN TS_U64 ts_on_maximum(TS_U64 x, TS_U64 y, TS_U32 type) {
  return ts_on_less_equal(y, x, type) || (TS_IS_REAL(type) && ts_on_is_nan(x, type)) ? x : y;
}
TS_FN TS_U64 ts_on_bit_and(TS_U64 x, TS_U64 y, TS_U32 type) {
  (void)type;
  return x & y;
}
TS_FN TS_U64 ts_on_bit_or(TS_U64 x, TS_U64 y, TS_U32 type) {
  (void)type;
  return x | y;
}

TS_FN TS_U64 ts_on_fused_multiply_add(TS_U64 x, TS_U64 y, TS_U64 z, TS_U32 type) {
  const double a = ts_from_bits(x);
  const double b = ts_from_bits(y);
  const double c = ts_from_bits(z);
  return ts_to_bits(type == TS_TYPE_F32 ? ts_fma_in_f32(a, b, c) : ts_fma(a, b, c));
}
TS_FN TS_U64 ts_on_select(TS_U64 x, TS_U64 y, TS_U64 z, TS_U32 type) {
  (void)type;
  return x != 0 ? y : z;
}

#define TS_ON_ONE(name, Name)                                \
  TS_FN TS_U64 ts_on_##name(TS_U64 x, TS_U32 type) {         \
    return ts_real_result(tf_##name(ts_from_bits(x)), type); \
  }
#define TS_ON_TWO(name, Name)                                                 \
  TS_FN TS_U64 ts_on_##name(TS_U64 x, TS_U64 y, TS_U32 type) {                \
    return ts_real_result(tf_##name(ts_from_bits(x), ts_from_bits(y)), type); \
  }
TS_FUNCTIONS(TS_ON_ONE, TS_ON_TWO)
#undef TS_ON_ONE
#undef TS_ON_TWO
