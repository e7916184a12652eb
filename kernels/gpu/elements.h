/* How a thread of a GPU adds one element to its sums, extremes, counts and bins. Part of
 * kernels/gpu/reduce.h. */

#include "kernels/gpu/expansion.h"

/* Extremes of elements, as keys. */
typedef struct {
  TS_U64 least, greatest, min_key, least_at, greatest_key, greatest_at, first_nan;
} TsOrder;

TS_FN TsOrder ts_no_order(void) {
  TsOrder none;
  none.least = none.min_key = 0xFFFFFFFFFFFFFFFF;
  none.greatest = none.greatest_key = 0;
  none.least_at = none.greatest_at = none.first_nan = TS_NOWHERE;
  return none;
}

/* `even_key`: the key, with -0.0 as +0.0. Among equal elements, the one with the lowest index is
 * kept. */
TS_FN void ts_take_order(TsOrder* order, TS_U64 key, TS_U64 even_key, TS_U64 index, TS_U32 flags) {
  if (flags & TS_WANT_EXTREMES) {
    if (key < order->least) order->least = key;
    if (key > order->greatest) order->greatest = key;
  }
  if (flags & TS_WANT_INDICES) {
    if (even_key < order->min_key || (even_key == order->min_key && index < order->least_at)) {
      order->min_key = even_key;
      order->least_at = index;
    }
    if (even_key > order->greatest_key ||
        (even_key == order->greatest_key && index < order->greatest_at)) {
      order->greatest_key = even_key;
      order->greatest_at = index;
    }
  }
}

typedef struct {
  TS_U32 nans, positive_infinities, negative_infinities, nonzero;
} TsCounts;

TS_FN TsCounts ts_no_counts(void) {
  TsCounts none;
  none.nans = none.positive_infinities = none.negative_infinities = none.nonzero = 0;
  return none;
}

TS_FN void ts_count_special(TsCounts* counts, int is_nan, int negative) {
  if (is_nan) {
    counts->nans += 1;
  } else if (negative) {
    counts->negative_infinities += 1;
  } else {
    counts->positive_infinities += 1;
  }
}

/* The sums of a thread. */
typedef struct {
  TsExpansion sum, absolute, squares;
} TsReals;

TS_FN TsReals ts_start_reals(void) {
  TsReals start;
  start.sum = start.absolute = start.squares = ts_nothing();
  return start;
}

/* Handles large numbers, infinities and NaN: large numbers are spilled, the others are counted.
 * False for NaN. */
TS_FN int ts_take_large(double x, TS_U64 magnitude, TS_U64 index, TS_U32 flags, TsOrder* order,
                        TsCounts* counts, TsSpill* spill) {
  if (magnitude >= TS_INFINITE) ts_count_special(counts, magnitude > TS_INFINITE, x < 0.0);
  if (magnitude > TS_INFINITE) {
    if (!(flags & TS_SKIP_NAN)) counts->nonzero += 1;
    if ((flags & TS_WANT_INDICES) && index < order->first_nan) order->first_nan = index;
    return 0;
  }
  if (magnitude == TS_INFINITE) return 1;
  if (flags & TS_WANT_SUM) ts_spill(spill, TS_SUM_SPILL, TS_SUM_UNIT, x);
  if (flags & TS_WANT_ABSOLUTE) {
    ts_spill(spill, TS_ABSOLUTE_SPILL, TS_SUM_UNIT, ts_from_bits(magnitude));
  }
  if (flags & TS_WANT_SQUARES) ts_spill_square(spill, x);
  return 1;
}

TS_FN void ts_take_real(TsReals* sums, TsOrder* order, TsCounts* counts, TsSpill* spill, double x,
                        int is_short, TS_U64 index, TS_U32 flags) {
  const TS_U64 bits = ts_to_bits(x);
  const TS_U64 magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  if ((TS_U32)(magnitude >> 32) >= (TS_U32)(TS_LARGE >> 32)) {
    if (!ts_take_large(x, magnitude, index, flags, order, counts, spill)) return;
  } else {
    if (flags & TS_WANT_SUM) ts_push(&sums->sum, x, is_short, spill, TS_SUM_SPILL, TS_SUM_UNIT);
    if (flags & TS_WANT_ABSOLUTE) {
      ts_push(&sums->absolute, ts_from_bits(magnitude), is_short, spill, TS_ABSOLUTE_SPILL,
              TS_SUM_UNIT);
    }
    if (flags & TS_WANT_SQUARES) ts_push_square(&sums->squares, x, magnitude, spill);
  }
  if ((flags & TS_WANT_NONZERO) && magnitude != 0) counts->nonzero += 1;
  if (flags & (TS_WANT_EXTREMES | TS_WANT_INDICES)) {
    const TS_U64 sign = 0x8000000000000000;
    const TS_U64 key = bits & sign ? ~bits : bits | sign;
    ts_take_order(order, key, magnitude == 0 ? sign : key, index, flags);
  }
}

/* An integer of 128 bits, modulo 2^128. */
typedef struct {
  TS_U64 low, high;
} TsWide;

TS_FN void ts_add_wide(TsWide* sum, TS_U64 low, TS_U64 high) {
  sum->low += low;
  sum->high += high + (sum->low < low ? 1 : 0);
}

typedef struct {
  TsWide sum, absolute, low_squares, high_squares;
} TsIntegers;

TS_FN TsIntegers ts_start_integers(void) {
  TsIntegers start;
  start.sum.low = start.sum.high = 0;
  start.absolute = start.low_squares = start.high_squares = start.sum;
  return start;
}

/* `x` is extended to 64 bits with its sign. */
TS_FN void ts_take_integer(TsIntegers* sums, TsOrder* order, TsCounts* counts, TS_U64 x,
                           int is_signed, TS_U64 index, TS_U32 flags) {
  const int negative = is_signed && x >> 63 != 0;
  const TS_U64 magnitude = negative ? 0 - x : x;
  if (flags & TS_WANT_SUM) ts_add_wide(&sums->sum, x, negative ? 0xFFFFFFFFFFFFFFFF : 0);
  if (flags & TS_WANT_ABSOLUTE) ts_add_wide(&sums->absolute, magnitude, 0);
  if (flags & TS_WANT_SQUARES) {
    ts_add_wide(&sums->low_squares, magnitude * magnitude, 0);
    ts_add_wide(&sums->high_squares, TS_MUL_HIGH(magnitude, magnitude), 0);
  }
  if ((flags & TS_WANT_NONZERO) && x != 0) counts->nonzero += 1;
  if (flags & (TS_WANT_EXTREMES | TS_WANT_INDICES)) {
    const TS_U64 key = is_signed ? x ^ 0x8000000000000000 : x;
    ts_take_order(order, key, key, index, flags);
  }
}

#define TS_NO_BIN 0xFFFFFFFFu

/* Bin k contains edges[k] <= x < edges[k + 1]; the last bin contains both edges. TS_NO_BIN for x
 * outside. */
TS_FN TS_U32 ts_find_bin(double x, double low, double high, double bins_per_unit, TS_U32 bins,
                         TS_GLOBAL const double* edges) {
  if (!(x >= low && x <= high)) return TS_NO_BIN;
  TS_U32 bin = (TS_U32)ts_mul(ts_sub(x, low), bins_per_unit);
  if (bin >= bins) bin = bins - 1;
  while (bin > 0 && x < edges[bin]) bin -= 1;
  while (bin + 1 < bins && x >= edges[bin + 1]) bin += 1;
  return bin;
}

TS_FN void ts_take_bin(double x, const struct TsReduce* call, TS_GLOBAL const double* edges,
                       TS_IN_LOCAL TS_U32* in_group, TS_GLOBAL TS_U64* in_all) {
  const TS_U32 bin = ts_find_bin(x, call->low, call->high, call->bins_per_unit, call->bins, edges);
  if (bin == TS_NO_BIN) return;
  if (call->bins <= TS_BLOCK_BINS) {
    TS_COUNT_LOCAL(&in_group[bin]);
  } else {
    TS_ATOMIC_ADD_64(&in_all[bin], 1);
  }
}
