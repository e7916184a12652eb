/* Definitions for functions.h that are the same wherever TS_REAL is one f64. */
#define TS_LENGTH(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define ts_shift_left(bits, n) ((bits) << (n))
#define ts_shift_right(bits, n) ((bits) >> (n))
#define TS_ROW(table, width, first, bits, a, b) \
  (*(a) = (table)[(bits) * (width) + (first)], *(b) = (table)[(bits) * (width) + (first) + 1])
#define TS_ROW_OF_16(table, bits, a, b) TS_ROW(table, 2, 0, bits, a, b)
