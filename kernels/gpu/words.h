/* How the threads of a block merge their results. Part of kernels/gpu/reduce.h. */

#include "kernels/gpu/elements.h"

/* The result of a thread, or of several, as words, so that one loop merges all kinds. */
typedef struct {
  TS_U64 a, b, c, d;
} TsWords;

TS_FN TsWords ts_words(TS_U64 a, TS_U64 b, TS_U64 c, TS_U64 d) {
  TsWords words;
  words.a = a;
  words.b = b;
  words.c = c;
  words.d = d;
  return words;
}

TS_FN TsWords ts_expansion_words(const TsExpansion* sum) {
  return ts_words(ts_to_bits(sum->a), ts_to_bits(sum->b), ts_to_bits(sum->c), ts_to_bits(sum->d));
}

/* Kinds of words, in the order in which they are merged. */
#define TS_FIRST_SUM 0u /* three kinds of sums */
#define TS_SQUARES 2u   /* the third of them */
#define TS_EXTREMES 3u
#define TS_INDICES 4u
#define TS_COUNTS 5u
#define TS_KINDS 6u

TS_FN TsWords ts_real_words(const TsReals* sums, TS_U32 kind) {
  if (kind == 0) return ts_expansion_words(&sums->sum);
  if (kind == 1) return ts_expansion_words(&sums->absolute);
  return ts_expansion_words(&sums->squares);
}

TS_FN TsWords ts_integer_words(const TsIntegers* sums, TS_U32 kind) {
  if (kind == 0) return ts_words(sums->sum.low, sums->sum.high, 0, 0);
  if (kind == 1) return ts_words(sums->absolute.low, sums->absolute.high, 0, 0);
  return ts_words(sums->low_squares.low, sums->low_squares.high, sums->high_squares.low,
                  sums->high_squares.high);
}

/* Each count is below 2^31, so two of them share a word. */
TS_FN TsWords ts_other_words(const TsOrder* order, const TsCounts* counts, const TsSpill* spill,
                             TS_U32 kind) {
  if (kind == TS_EXTREMES) return ts_words(order->least, order->greatest, order->first_nan, 0);
  if (kind == TS_INDICES) {
    return ts_words(order->min_key, order->least_at, order->greatest_key, order->greatest_at);
  }
  return ts_words((TS_U64)counts->nans << 32 | counts->nonzero,
                  (TS_U64)counts->positive_infinities << 32 | counts->negative_infinities,
                  spill->numbers, 0);
}

TS_FN TsWords ts_join_reals(const TsWords* mine, const TsWords* other, TS_U32 kind,
                            TsSpill* spill) {
  const TS_U32 limb = kind == 0 ? TS_SUM_SPILL : kind == 1 ? TS_ABSOLUTE_SPILL : TS_SQUARES_SPILL;
  const int unit = kind == 2 ? TS_SQUARES_UNIT : TS_SUM_UNIT;
  TsExpansion sum;
  sum.a = ts_from_bits(mine->a);
  sum.b = ts_from_bits(mine->b);
  sum.c = ts_from_bits(mine->c);
  sum.d = ts_from_bits(mine->d);
  ts_push(&sum, ts_from_bits(other->a), 0, spill, limb, unit);
  ts_push_low(&sum, ts_from_bits(other->b), spill, limb, unit);
  ts_push_low(&sum, ts_from_bits(other->c), spill, limb, unit);
  ts_push_low(&sum, ts_from_bits(other->d), spill, limb, unit);
  return ts_expansion_words(&sum);
}

TS_FN TsWords ts_join_integers(const TsWords* mine, const TsWords* other, TS_U32 kind,
                               TsSpill* spill) {
  (void)kind, (void)spill;
  TsWide one, two;
  one.low = mine->a;
  one.high = mine->b;
  two.low = mine->c;
  two.high = mine->d;
  ts_add_wide(&one, other->a, other->b);
  ts_add_wide(&two, other->c, other->d);
  return ts_words(one.low, one.high, two.low, two.high);
}

TS_FN TsWords ts_join_others(const TsWords* mine, const TsWords* other, TS_U32 kind) {
  TsWords joined = *mine;
  if (kind == TS_EXTREMES) {
    if (other->a < joined.a) joined.a = other->a;
    if (other->b > joined.b) joined.b = other->b;
    if (other->c < joined.c) joined.c = other->c;
  } else if (kind == TS_INDICES) {
    if (other->a < joined.a || (other->a == joined.a && other->b < joined.b)) {
      joined.a = other->a;
      joined.b = other->b;
    }
    if (other->c > joined.c || (other->c == joined.c && other->d < joined.d)) {
      joined.c = other->c;
      joined.d = other->d;
    }
  } else {
    joined.a += other->a;
    joined.b += other->b;
    joined.c |= other->c;
  }
  return joined;
}

/* `room` holds 4 * TS_REDUCE_BLOCK words. */
TS_FN void ts_write_words(TS_IN_LOCAL TS_U64* room, TS_U32 thread, const TsWords* words) {
  room[thread] = words->a;
  room[thread + TS_REDUCE_BLOCK] = words->b;
  room[thread + 2 * TS_REDUCE_BLOCK] = words->c;
  room[thread + 3 * TS_REDUCE_BLOCK] = words->d;
}

TS_FN TsWords ts_read_words(TS_IN_LOCAL const TS_U64* room, TS_U32 thread) {
  return ts_words(room[thread], room[thread + TS_REDUCE_BLOCK], room[thread + 2 * TS_REDUCE_BLOCK],
                  room[thread + 3 * TS_REDUCE_BLOCK]);
}

/* Writes the result of the block to its record. */
TS_FN void ts_tell(TS_GLOBAL struct TsReduced* to, TS_U32 kind, const TsWords* words) {
  if (kind < TS_EXTREMES) {
    TS_GLOBAL TS_U64* const sum = kind == 0 ? to->sum : kind == 1 ? to->absolute : to->squares;
    sum[0] = words->a;
    sum[1] = words->b;
    sum[2] = words->c;
    sum[3] = words->d;
  } else if (kind == TS_EXTREMES) {
    to->least = words->a;
    to->greatest = words->b;
    to->first_nan = words->c;
  } else if (kind == TS_INDICES) {
    to->min_key = words->a;
    to->least_at = words->b;
    to->greatest_key = words->c;
    to->greatest_at = words->d;
  } else {
    to->nans = (TS_U32)(words->a >> 32);
    to->nonzero = (TS_U32)words->a;
    to->positive_infinities = (TS_U32)(words->b >> 32);
    to->negative_infinities = (TS_U32)words->b;
    to->spilled = words->c != 0;
  }
}
