/* Products of the elements of two arrays, by a thread of a GPU. Part of
 * kernels/gpu/any_type_kernels.h. */

/* Limits of the sum of the exponent fields of x and y. Between them, the product is p + e with p =
 * x y rounded and e = fma(x, y, -p): e has no bits below 2^-1074, and p is below 2^990. */
// crossed by: of_elements_that_are_hard
#define TS_LEAST_FIELDS 1076u
#define TS_MOST_FIELDS 3034u

TS_FN void ts_spill_product(TsSpill* spill, double x, double y) {
  const TsParts a = ts_parts(x);
  const TsParts b = ts_parts(y);
  const int bit = a.exponent + b.exponent + TS_SQUARES_UNIT;
  const int negative = a.negative != b.negative;
  TS_GLOBAL TS_U64* const limbs = ts_spill_limbs(spill, TS_SQUARES_SPILL);
  ts_spill_magnitude(limbs, a.significand * b.significand, bit, negative);
  ts_spill_magnitude(limbs, TS_MUL_HIGH(a.significand, b.significand), bit + 64, negative);
  spill->numbers += 1;
}

/* Adds x y; infinities and NaN are only counted. */
TS_FN void ts_take_product(TsReals* sums, TsCounts* counts, TsSpill* spill, double x, double y) {
  const TS_U64 x_bits = ts_to_bits(x) << 1;
  const TS_U64 y_bits = ts_to_bits(y) << 1;
  const TS_U32 x_field = (TS_U32)(x_bits >> 53);
  const TS_U32 y_field = (TS_U32)(y_bits >> 53);
  const TS_U32 fields = x_field + y_field;
  const double p = ts_mul(x, y);
  if (x_field == 0x7FF || y_field == 0x7FF) {
    if (p > 0.0) {
      counts->positive_infinities += 1;
    } else if (p < 0.0) {
      counts->negative_infinities += 1;
    } else {
      counts->nans += 1;
    }
  } else if (x_bits == 0 || y_bits == 0) { /* a zero, with the sign as in IEEE 754 */
    ts_push(&sums->squares, p, 0, spill, TS_SQUARES_SPILL, TS_SQUARES_UNIT);
  } else if (x_field == 0 || y_field == 0 || fields < TS_LEAST_FIELDS || fields > TS_MOST_FIELDS) {
    ts_spill_product(spill, x, y);
  } else {
    const double e = ts_fma(x, y, -p);
    ts_push(&sums->squares, p, 0, spill, TS_SQUARES_SPILL, TS_SQUARES_UNIT);
    if (e != 0.0) ts_push_low(&sums->squares, e, spill, TS_SQUARES_SPILL, TS_SQUARES_UNIT);
  }
}

#define TS_IS_WIDE(type) ((type) == 3u || (type) == 7u) /* i64, u64 */

/* Splits a 64-bit integer into 2^32 times its upper half, plus its lower half. If y is an infinity,
 * a NaN or a zero, only the sign of the integer matters, and whether it is zero; its halves may
 * differ in that, so it is not split. As add_mixed_product() of
 * src/statistics/pair_products.hpp. */
TS_FN void ts_take_mixed(TsReals* sums, TsCounts* counts, TsSpill* spill, TS_U64 integer,
                         int is_signed, double y) {
  const int splits = (ts_to_bits(y) & TS_INFINITE) != TS_INFINITE && y != 0.0;
  const TS_U64 upper = TS_EXTEND_SIGNED(integer >> 32, 32);
  if (!splits) {
    ts_take_product(sums, counts, spill, is_signed ? (double)(TS_I64)integer : (double)integer, y);
    return;
  }
  ts_take_product(sums, counts, spill,
                  ts_mul(is_signed ? (double)(TS_I64)upper : (double)(integer >> 32), 4294967296.0),
                  y);
  ts_take_product(sums, counts, spill, (double)(integer & 0xFFFFFFFFu), y);
}

/* Takes the elements of both arrays at an index; at least one array is floating-point. */
TS_FN void ts_take_pair(TsReals* sums, TsCounts* counts, TsSpill* spill,
                        const struct TsReduce* call, TS_GLOBAL const unsigned char* data,
                        TS_U64 index) {
  TS_GLOBAL const unsigned char* const second = data + call->second;
  const int wide = TS_IS_WIDE(call->type);
  const double x = ts_load_real(data, call->type, index);
  const double y = ts_load_real(second, call->second_type, index);
  if ((call->flags & TS_SKIP_NAN) && (x != x || y != y)) return;
  counts->nonzero += 1;
  if (wide) {
    ts_take_mixed(sums, counts, spill, ts_load_integer(data, call->type, index),
                  call->type < TS_TYPE_U8, y);
  } else if (TS_IS_WIDE(call->second_type)) {
    ts_take_mixed(sums, counts, spill, ts_load_integer(second, call->second_type, index),
                  call->second_type < TS_TYPE_U8, x);
  } else {
    ts_take_product(sums, counts, spill, x, y);
  }
}

/* Takes the elements of two arrays of integers: adds the lower and the upper 64 bits of the product
 * separately, as IntegerProducts of src/statistics/partial.hpp. */
TS_FN void ts_take_integer_pair(TsIntegers* sums, const struct TsReduce* call,
                                TS_GLOBAL const unsigned char* data, TS_U64 index) {
  const TS_U64 x = ts_load_integer(data, call->type, index);
  const TS_U64 y = ts_load_integer(data + call->second, call->second_type, index);
  const int x_signed = call->type < TS_TYPE_U8;
  const int y_signed = call->second_type < TS_TYPE_U8;
  TS_U64 high = TS_MUL_HIGH(x, y);
  if (x_signed && x >> 63 != 0) high -= y;
  if (y_signed && y >> 63 != 0) high -= x;
  ts_add_wide(&sums->low_squares, x * y, 0);
  ts_add_wide(&sums->high_squares, high,
              (x_signed || y_signed) && high >> 63 != 0 ? 0xFFFFFFFFFFFFFFFF : 0);
}
