/* Loads elements whose type is known only at run time. Part of kernels/gpu/reduce.h. */

#include "kernels/gpu/words.h"

#define TS_EXTEND_SIGNED(bits, unused_bits) \
  ((TS_U64)((TS_I64)((TS_U64)(bits) << (unused_bits)) >> (unused_bits)))
#define TS_EXTEND_UNSIGNED(bits, unused_bits) ((TS_U64)(bits) << (unused_bits) >> (unused_bits))

/* Extended to 64 bits with its sign. */
TS_FN TS_U64 ts_load_integer(TS_GLOBAL const unsigned char* data, TS_U32 type, TS_U64 index) {
  const TS_U32 size = type % 4;
  const TS_U32 unused_bits = 64 - (8u << size);
  const TS_U64 bits = size == 0   ? data[index]
                      : size == 1 ? ((TS_GLOBAL const unsigned short*)data)[index]
                      : size == 2 ? ((TS_GLOBAL const TS_U32*)data)[index]
                                  : ((TS_GLOBAL const TS_U64*)data)[index];
  return type < TS_TYPE_U8 ? TS_EXTEND_SIGNED(bits, unused_bits) : bits;
}

/* As f64, rounded to nearest if it has more than 53 bits. */
TS_FN double ts_load_real(TS_GLOBAL const unsigned char* data, TS_U32 type, TS_U64 index) {
  if (type == TS_TYPE_F64) return ts_from_bits(((TS_GLOBAL const TS_U64*)data)[index]);
  if (type == TS_TYPE_F32) return TS_WIDEN_F32(((TS_GLOBAL const TS_U32*)data)[index]);
  if (type == TS_TYPE_F16) return ts_widen_f16(((TS_GLOBAL const unsigned short*)data)[index]);
  const TS_U64 x = ts_load_integer(data, type, index);
  return type < TS_TYPE_U8 ? (double)(TS_I64)x : (double)x;
}
