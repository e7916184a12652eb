/* Reductions of arrays on GPUs, written once in the subset that CUDA C++ and OpenCL C share. An
 * entry file (cuda_reduce.cu, opencl_reduce.cl) defines, beside what kernels/gpu.h asks for,
 *
 *   TS_IN_LOCAL                    qualifier of what a pointer to group memory points to
 *   TS_ATOMIC_ADD_64(p, v)         on a TS_U64 in global memory
 *   TS_COUNT_LOCAL(p)              adds 1 to a TS_U32 in group memory
 *   TS_MUL_HIGH(a, b)              upper 64 bits of a product
 *   TS_PAIR TS_LOAD(p)             two TS_U64, .x and .y, and how they are read, 16 bytes at once
 *   TS_WIDEN_F32(bits)             the f64 of the same value, of subnormal numbers too
 *   TS_UNROLLED TS_ROLLED          before a loop: whether to unroll it
 *
 * includes kernels/reduce.h, kernels/generate.h and this text, and then
 * kernels/gpu_reduce_kernels.h.
 *
 * Sums are exact: a thread keeps them as expansions, unevaluated sums of f64, by T. J. Dekker and
 * D. E. Knuth's error-free addition; what an expansion does not hold goes into a fixed-point number
 * by integer atomics. docs/numerics.md, "Sums". */

/* Where a thread puts what is out of the ordinary, seldom enough to be slow. */
typedef struct {
  TS_GLOBAL TS_U64* limbs; /* the group's slot */
  TS_U32 numbers;          /* that this thread has spilled */
} TsSpill;

TS_FN void ts_add_limb(TS_GLOBAL TS_U64* limb, TS_U64 value, int negative) {
  if (value != 0) TS_ATOMIC_ADD_64(limb, negative ? 0 - value : value);
}

/* Adds magnitude * 2^bit, bit counted from the lowest of the limbs. */
TS_FN void ts_spill_magnitude(TS_GLOBAL TS_U64* limbs, TS_U64 magnitude, int bit, int negative) {
  TS_GLOBAL TS_U64* const limb = limbs + bit / 32;
  const int shift = bit % 32;
  const TS_U64 low = magnitude << shift;
  ts_add_limb(limb, low & 0xFFFFFFFFu, negative);
  ts_add_limb(limb + 1, low >> 32, negative);
  ts_add_limb(limb + 2, shift == 0 ? 0 : magnitude >> (64 - shift), negative);
}

/* A finite f64 as significand * 2^exponent. */
typedef struct {
  TS_U64 significand;
  int exponent, negative;
} TsParts;

TS_FN TsParts ts_parts(double x) {
  const TS_U64 bits = ts_to_bits(x);
  const int field = (int)((bits >> 52) & 0x7FF);
  const TS_U64 fraction = bits & 0xFFFFFFFFFFFFF;
  TsParts parts;
  parts.significand = field == 0 ? fraction : fraction | 0x10000000000000;
  parts.exponent = (field == 0 ? 1 : field) - 1075;
  parts.negative = bits >> 63 != 0;
  return parts;
}

/* `unit`: the bit of the limbs that counts 2^0. */
TS_FN void ts_spill(TsSpill* spill, TS_U32 first_limb, int unit, double x) {
  const TsParts parts = ts_parts(x);
  ts_spill_magnitude(spill->limbs + first_limb, parts.significand, parts.exponent + unit,
                     parts.negative);
  spill->numbers += 1;
}

TS_FN void ts_spill_square(TsSpill* spill, double x) {
  const TsParts parts = ts_parts(x);
  const int bit = 2 * parts.exponent + TS_SQUARES_UNIT;
  TS_GLOBAL TS_U64* const limbs = spill->limbs + TS_SQUARES_SPILL;
  ts_spill_magnitude(limbs, parts.significand * parts.significand, bit, 0);
  ts_spill_magnitude(limbs, TS_MUL_HIGH(parts.significand, parts.significand), bit + 64, 0);
  spill->numbers += 1;
}

/* a + b + c + d, with what was spilled, is the exact sum. Terms are below 2^990 and fewer than
 * 2^31, so that nothing overflows. The sign of a zero is that of the sum: -0.0 + -0.0 is the only
 * way to -0.0. */
typedef struct {
  double a, b, c, d;
} TsExpansion;

TS_FN TsExpansion ts_nothing(void) {
  TsExpansion none;
  none.a = -0.0;
  none.b = none.c = none.d = 0.0;
  return none;
}

/* Adds x to *sum, rounded, and returns the rounding error, which is an f64 (Knuth, The Art of
 * Computer Programming 2, 4.2.2, theorem B). */
TS_FN double ts_two_sum(double* sum, double x) {
  const double before = *sum;
  const double after = ts_add(before, x);
  const double grown = ts_sub(after, before);
  *sum = after;
  return ts_add(ts_sub(before, ts_sub(after, grown)), ts_sub(x, grown));
}

/* The same where an error is rare: whether there is one, and only then *rest. It is none if both
 * differences in it are zero, which is known before they are taken. */
TS_FN int ts_leaves_rest(double* sum, double x, double* rest) {
  const double before = *sum;
  const double after = ts_add(before, x);
  const double grown = ts_sub(after, before);
  const double kept = ts_sub(after, grown);
  *sum = after;
  if (grown == x && kept == before) return 0;
  *rest = ts_add(ts_sub(before, kept), ts_sub(x, grown));
  return *rest != 0.0;
}

TS_FN void ts_push_rest(TsExpansion* sum, double rest, TsSpill* spill, TS_U32 limb, int unit) {
  rest = ts_two_sum(&sum->c, rest);
  if (rest != 0.0) rest = ts_two_sum(&sum->d, rest);
  if (rest != 0.0) ts_spill(spill, limb, unit, rest);
}

/* Of terms that are small against the sum. */
TS_FN void ts_push_low(TsExpansion* sum, double x, TsSpill* spill, TS_U32 limb, int unit) {
  double rest = 0.0;
  if (ts_leaves_rest(&sum->b, x, &rest)) ts_push_rest(sum, rest, spill, limb, unit);
}

/* `is_short`: terms have so few bits that the first f64 holds most sums of them. */
TS_FN void ts_push(TsExpansion* sum, double x, int is_short, TsSpill* spill, TS_U32 limb,
                   int unit) {
  double rest = 0.0;
  if (!is_short) {
    rest = ts_two_sum(&sum->a, x);
    ts_push_low(sum, rest, spill, limb, unit);
  } else if (ts_leaves_rest(&sum->a, x, &rest)) {
    ts_push_low(sum, rest, spill, limb, unit);
  }
}

/* Bits of |x| from which it goes past the expansions: 2^990, infinities, NaN. */
#define TS_LARGE 0x7DD0000000000000
#define TS_INFINITE 0x7FF0000000000000
/* The square of x is p + e, p = x x rounded and e = fma(x, x, -p), where |x| is at least 2^-479, so
 * that e has no bits below 2^-1074, and at most 2^494. */
#define TS_LEAST_SQUARED 0x2200000000000000
#define TS_MOST_SQUARED 0x5ED0000000000000

TS_FN void ts_push_square(TsExpansion* squares, double x, TS_U64 magnitude, TsSpill* spill) {
  if (magnitude - TS_LEAST_SQUARED <= TS_MOST_SQUARED - TS_LEAST_SQUARED || magnitude == 0) {
    const double p = ts_mul(x, x);
    const double e = ts_fma(x, x, -p);
    ts_push(squares, p, 0, spill, TS_SQUARES_SPILL, TS_SQUARES_UNIT);
    if (e != 0.0) ts_push_low(squares, e, spill, TS_SQUARES_SPILL, TS_SQUARES_UNIT);
  } else {
    ts_spill_square(spill, x);
  }
}

/* Extremes among elements, as keys. */
typedef struct {
  TS_U64 least, greatest, least_key, least_at, greatest_key, greatest_at, first_nan;
} TsOrder;

TS_FN TsOrder ts_no_order(void) {
  TsOrder none;
  none.least = none.least_key = 0xFFFFFFFFFFFFFFFF;
  none.greatest = none.greatest_key = 0;
  none.least_at = none.greatest_at = none.first_nan = TS_NOWHERE;
  return none;
}

/* `even_key`: with that of +0.0 for -0.0. Indices grow from call to call, so that the first of
 * equal elements stays. */
TS_FN void ts_take_order(TsOrder* order, TS_U64 key, TS_U64 even_key, TS_U64 index, TS_U32 flags) {
  if (flags & TS_WANT_EXTREMES) {
    if (key < order->least) order->least = key;
    if (key > order->greatest) order->greatest = key;
  }
  if (flags & TS_WANT_PLACES) {
    if (even_key < order->least_key || order->least_at == TS_NOWHERE) {
      order->least_key = even_key;
      order->least_at = index;
    }
    if (even_key > order->greatest_key || order->greatest_at == TS_NOWHERE) {
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

/* What a thread keeps. */
typedef struct {
  TsExpansion sum, absolute, squares;
} TsReals;

TS_FN TsReals ts_start_reals(void) {
  TsReals start;
  start.sum = start.absolute = start.squares = ts_nothing();
  return start;
}

/* Sums of what goes past the expansions; infinities and NaN are only counted. False for NaN. */
TS_FN int ts_take_large(double x, TS_U64 magnitude, TS_U64 index, TS_U32 flags, TsOrder* order,
                        TsCounts* counts, TsSpill* spill) {
  if (magnitude > TS_INFINITE) {
    counts->nans += 1;
    if (!(flags & TS_SKIP_NAN)) counts->nonzero += 1;
    if ((flags & TS_WANT_PLACES) && index < order->first_nan) order->first_nan = index;
    return 0;
  }
  if (magnitude == TS_INFINITE) {
    if (x > 0.0) {
      counts->positive_infinities += 1;
    } else {
      counts->negative_infinities += 1;
    }
    return 1;
  }
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
  if (flags & (TS_WANT_EXTREMES | TS_WANT_PLACES)) {
    const TS_U64 sign = 0x8000000000000000;
    const TS_U64 key = bits & sign ? ~bits : bits | sign;
    ts_take_order(order, key, magnitude == 0 ? sign : key, index, flags);
  }
}

/* 128 bits, modulo 2^128. */
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

/* x with its sign in all upper bits. */
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
  if (flags & (TS_WANT_EXTREMES | TS_WANT_PLACES)) {
    const TS_U64 key = is_signed ? x ^ 0x8000000000000000 : x;
    ts_take_order(order, key, key, index, flags);
  }
}

/* The f64 of the same value as an f16. */
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

/* Bin k has edges[k] <= x < edges[k + 1], the last one both; x outside has none. */
TS_FN void ts_take_bin(double x, const struct TsReduce* call, TS_GLOBAL const double* edges,
                       TS_IN_LOCAL TS_U32* in_group, TS_GLOBAL TS_U64* in_all) {
  if (!(x >= call->low && x <= call->high)) return;
  TS_U32 bin = (TS_U32)ts_mul(ts_sub(x, call->low), call->bins_per_unit);
  if (bin >= call->bins) bin = call->bins - 1;
  while (bin > 0 && x < edges[bin]) bin -= 1;
  while (bin + 1 < call->bins && x >= edges[bin + 1]) bin += 1;
  if (call->bins <= TS_GROUP_BINS) {
    TS_COUNT_LOCAL(&in_group[bin]);
  } else {
    TS_ATOMIC_ADD_64(&in_all[bin], 1);
  }
}

/* What a thread, and in the end the first one of a group, has come to, as words: so that one loop
 * joins all of it. */
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

/* Kinds of words, in the order in which they are joined. */
#define TS_FIRST_SUM 0u /* three of sums */
#define TS_EXTREMES 3u
#define TS_PLACES 4u
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

/* Each count is below 2^31, so that two of them share a word. */
TS_FN TsWords ts_other_words(const TsOrder* order, const TsCounts* counts, const TsSpill* spill,
                             TS_U32 kind) {
  if (kind == TS_EXTREMES) return ts_words(order->least, order->greatest, order->first_nan, 0);
  if (kind == TS_PLACES) {
    return ts_words(order->least_key, order->least_at, order->greatest_key, order->greatest_at);
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
  } else if (kind == TS_PLACES) {
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

/* `room` holds 4 * TS_REDUCE_GROUP words. */
TS_FN void ts_write_words(TS_IN_LOCAL TS_U64* room, TS_U32 thread, const TsWords* words) {
  room[thread] = words->a;
  room[thread + TS_REDUCE_GROUP] = words->b;
  room[thread + 2 * TS_REDUCE_GROUP] = words->c;
  room[thread + 3 * TS_REDUCE_GROUP] = words->d;
}

TS_FN TsWords ts_read_words(TS_IN_LOCAL const TS_U64* room, TS_U32 thread) {
  return ts_words(room[thread], room[thread + TS_REDUCE_GROUP], room[thread + 2 * TS_REDUCE_GROUP],
                  room[thread + 3 * TS_REDUCE_GROUP]);
}

/* What the group has come to into its record. */
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
  } else if (kind == TS_PLACES) {
    to->least_key = words->a;
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
