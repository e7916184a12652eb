/* Exact sums of f32 by a thread of a GPU. Numbers of similar size are added in an f64 whose lowest
 * bit stays the same, so that no addition is rounded. All others are added as integers to a table
 * by exponent. Part of kernels/gpu/reduce_kernels.h. */

/* The table has a number of 64 bits for each 16 exponent fields. Number k counts units of
 * 2^(16 k - 150). A term adds less than 2^39 to one of them, and a thread has at most 2^22 terms:
 * TS_MOST_ELEMENTS by one block. A window adds less than 2^43, at most once for 128 terms. So
 * nothing overflows. The numbers of a thread are TS_REDUCE_BLOCK apart in shared memory, so that no
 * two threads share a bank. */
#define TS_TABLE_NUMBERS 16u
#define TS_TABLE_WORDS (TS_TABLE_NUMBERS * TS_REDUCE_BLOCK)

typedef struct {
  TS_IN_LOCAL TS_U64* numbers;
  TS_U32 not_minus_zero; /* not 0 if a term was not -0.0 */
} TsTable;

TS_FN TsTable ts_table_in(TS_IN_LOCAL TS_U64* numbers) {
  TsTable table;
  table.numbers = numbers;
  table.not_minus_zero = 0;
  for (TS_U32 k = 0; k < TS_TABLE_NUMBERS; ++k) numbers[k * TS_REDUCE_BLOCK] = 0;
  return table;
}

/* Adds x * 2^(field - 150). */
TS_FN void ts_add_scaled(TsTable* table, TS_U32 field, TS_I64 x) {
  table->numbers[(field >> 4) * TS_REDUCE_BLOCK] += (TS_U64)x << (field & 15);
}

TS_FN void ts_take_f32(TsTable* table, TsCounts* counts, TS_U32 bits) {
  const TS_U32 fraction = bits & 0x7FFFFF;
  const TS_U32 field = bits >> 23 & 0xFF;
  const int negative = bits >> 31 != 0;
  const int significand = (int)(field == 0 ? fraction : fraction | 0x800000);
  if (field == 0xFF) {
    ts_count_special(counts, fraction != 0, negative);
    return;
  }
  table->not_minus_zero |= bits ^ 0x80000000u;
  ts_add_scaled(table, field == 0 ? 1 : field, negative ? -significand : significand);
}

TS_FN void ts_take_four(TsTable* table, TsCounts* counts, TS_PAIR pair) {
  ts_take_f32(table, counts, (TS_U32)pair.x);
  ts_take_f32(table, counts, (TS_U32)(pair.x >> 32));
  ts_take_f32(table, counts, (TS_U32)pair.y);
  ts_take_f32(table, counts, (TS_U32)(pair.y >> 32));
}

/* Numbers with the exponent fields least, ..., least + 15 are multiples of 2^(least - 150) below
 * 2^39 of it. So the sum of 2^12 of them is at most 2^51 units, and `sum`, which starts at 1.5 *
 * 2^52 units, keeps its exponent, and with it its unit. */
#define TS_WINDOW_FIELDS 16u
// crossed by: of_full_windows
#define TS_WINDOW_TERMS 4096u
// crossed by: of_sizes_that_change
#define TS_HIGHEST_WINDOW 231u /* above, the sum would not fit into the table */

typedef struct {
  double sum;
  TS_U32 least;  /* exponent field; 0 if there is no window yet */
  TS_U32 rounds; /* of terms that are in the sum */
} TsWindow;

TS_FN TS_U64 ts_bits_of_empty(TS_U32 least) {
  return (TS_U64)(1023 + 52 - 150 + least) << 52 | (TS_U64)1 << 51;
}

TS_FN TsWindow ts_window_from(TS_U32 least) {
  TsWindow window;
  window.sum = ts_from_bits(ts_bits_of_empty(least));
  window.least = least;
  window.rounds = 0;
  return window;
}

/* A window for numbers of this size, with room for larger ones; the same one if they are zeros or
 * not finite. */
TS_FN TsWindow ts_window_for(TsWindow window, TS_U32 greatest) {
  const TS_U32 field = greatest >> 24;
  const TS_U32 least = field < 15 ? 1 : field - 13;
  if (greatest == 0 || field == 0xFF) return window;
  return ts_window_from(least < TS_HIGHEST_WINDOW ? least : TS_HIGHEST_WINDOW);
}

/* Moves the sum to the table. */
TS_FN void ts_empty(TsWindow* window, TsTable* table) {
  const TS_U64 empty = ts_bits_of_empty(window->least);
  const TS_I64 units = (TS_I64)(ts_to_bits(window->sum) - empty);
  if (window->rounds == 0) return;
  ts_add_scaled(table, window->least, units & 0xFFFFFF);
  ts_add_scaled(table, window->least + 24, units >> 24);
  window->sum = ts_from_bits(empty);
  window->rounds = 0;
}

/* The range of some numbers, by their bits without the sign, shifted by one. */
typedef struct {
  TS_U32 greatest;
  TS_U32 below_least; /* the least that is not a zero, minus 1 */
} TsRange;

TS_FN TsRange ts_no_range(void) {
  TsRange none;
  none.greatest = 0;
  none.below_least = 0xFFFFFFFFu;
  return none;
}

TS_FN void ts_extend_to(TsRange* range, TS_U32 bits) {
  const TS_U32 magnitude = bits << 1;
  const TS_U32 below = magnitude - 1; /* of a zero, the largest number */
  range->greatest = magnitude > range->greatest ? magnitude : range->greatest;
  range->below_least = below < range->below_least ? below : range->below_least;
}

TS_FN void ts_extend(TsRange* range, TS_PAIR pair) {
  ts_extend_to(range, (TS_U32)pair.x);
  ts_extend_to(range, (TS_U32)(pair.x >> 32));
  ts_extend_to(range, (TS_U32)pair.y);
  ts_extend_to(range, (TS_U32)(pair.y >> 32));
}

TS_FN int ts_is_in(const TsWindow* window, const TsRange* range) {
  const TS_U32 least = window->least << 24;
  return window->least != 0 && range->below_least >= least - 1 &&
         range->greatest < least + (TS_WINDOW_FIELDS << 24);
}

/* Exact for numbers in a window. */
TS_FN double ts_sum_of_four(TS_PAIR pair) {
  return ts_add(ts_add(TS_WIDEN_F32((TS_U32)pair.x), TS_WIDEN_F32((TS_U32)(pair.x >> 32))),
                ts_add(TS_WIDEN_F32((TS_U32)pair.y), TS_WIDEN_F32((TS_U32)(pair.y >> 32))));
}

/* 2^exponent, for exponents of normal numbers. */
TS_FN double ts_power_of_two(int exponent) {
  return ts_from_bits((TS_U64)(1023 + exponent) << 52);
}

/* Adds the tables of a block to the sums of its threads: a thread has one number of 16 tables. It
 * begins at another table than its neighbours, because of the banks. Neighbours have different
 * numbers: kernels/gpu/join.h merges distant threads first, so that those with the same number fill
 * one expansion. Both halves are below 2^36, and so they are exact as f64. */
TS_FN void ts_push_tables(TsExpansion* sum, TS_IN_LOCAL const TS_U64* tables, TS_U32 thread,
                          TsSpill* spill) {
  const TS_U32 number = thread % TS_TABLE_NUMBERS;
  const double unit = ts_power_of_two(16 * (int)number - 150);
  TS_U64 low = 0;
  TS_I64 high = 0;
  TS_ROLLED for (TS_U32 k = 0; k < TS_TABLE_NUMBERS; ++k) {
    const TS_U32 of = thread - number + (number + k) % TS_TABLE_NUMBERS;
    const TS_U64 there = tables[number * TS_REDUCE_BLOCK + of];
    low += there & 0xFFFFFFFFu;
    high += (TS_I64)there >> 32;
  }
  if (high != 0) {
    ts_push(sum, ts_mul(ts_mul((double)high, 4294967296.0), unit), 0, spill, TS_SUM_SPILL,
            TS_SUM_UNIT);
  }
  if (low != 0) ts_push(sum, ts_mul((double)low, unit), 0, spill, TS_SUM_SPILL, TS_SUM_UNIT);
}
