/* Loads elements whose type is known only at run time. Part of kernels/gpu/reduce.h and
 * kernels/gpu/expression.h. */

#define TS_EXTEND_SIGNED(bits, unused_bits) \
  ((TS_U64)((TS_I64)((TS_U64)(bits) << (unused_bits)) >> (unused_bits)))
#define TS_EXTEND_UNSIGNED(bits, unused_bits) ((TS_U64)(bits) << (unused_bits) >> (unused_bits))

/* An element of 2^size bytes. */
TS_FN TS_U64 ts_load_bits(TS_GLOBAL const unsigned char* data, TS_U32 size, TS_U64 index) {
  return size == 0   ? data[index]
         : size == 1 ? ((TS_GLOBAL const unsigned short*)data)[index]
         : size == 2 ? ((TS_GLOBAL const TS_U32*)data)[index]
                     : ((TS_GLOBAL const TS_U64*)data)[index];
}

/* Extended to 64 bits with its sign. */
TS_FN TS_U64 ts_load_integer(TS_GLOBAL const unsigned char* data, TS_U32 type, TS_U64 index) {
  const TS_U32 unused_bits = 64 - (8u << type % 4);
  const TS_U64 bits = ts_load_bits(data, type % 4, index);
  return type < TS_TYPE_U8 ? TS_EXTEND_SIGNED(bits, unused_bits) : bits;
}

/* Converts an f16 to f64, exactly. */
TS_FN double ts_widen_f16(TS_U32 half_bits) {
  const TS_U64 sign = (TS_U64)(half_bits & 0x8000) << 48;
  const TS_U32 exponent = (half_bits >> 10) & 0x1F;
  const TS_U32 fraction = half_bits & 0x3FF;
  if (exponent == 0) { /* subnormal: fraction * 2^-24 */
    const double size = ts_mul((double)fraction, 1.0 / 16777216.0);
    return ts_from_bits(sign | ts_to_bits(size));
  }
  return ts_from_bits(sign | (TS_U64)(exponent == 0x1F ? 0x7FF : exponent + 1008) << 52 |
                      (TS_U64)fraction << 42);
}

/* As f64, rounded to nearest if it has more than 53 bits. */
TS_FN double ts_load_real(TS_GLOBAL const unsigned char* data, TS_U32 type, TS_U64 index) {
  if (type == TS_TYPE_F64) return ts_from_bits(((TS_GLOBAL const TS_U64*)data)[index]);
  if (type == TS_TYPE_F32) return TS_WIDEN_F32(((TS_GLOBAL const TS_U32*)data)[index]);
  if (type == TS_TYPE_F16) return ts_widen_f16(((TS_GLOBAL const unsigned short*)data)[index]);
  const TS_U64 x = ts_load_integer(data, type, index);
  return type < TS_TYPE_U8 ? (double)(TS_I64)x : (double)x;
}

/* Its key, an unsigned integer of its own width (src/statistics/order/element_key.hpp). */
TS_FN TS_U64 ts_load_key(TS_GLOBAL const unsigned char* data, TS_U32 type, TS_U64 index) {
  const TS_U32 size = type < TS_TYPE_F16 ? type % 4 : type - TS_TYPE_F16 + 1;
  const TS_U64 sign = (TS_U64)1 << ((8u << size) - 1);
  const TS_U64 bits = ts_load_bits(data, size, index);
  if (type < TS_TYPE_U8) return bits ^ sign;
  if (type < TS_TYPE_F16) return bits;
  return bits & sign ? bits ^ (2 * sign - 1) : bits | sign;
}
