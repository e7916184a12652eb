/* Exact sums of f64 by a thread of a GPU: unevaluated sums of four f64, and fixed-point numbers for
 * what these cannot hold. Part of kernels/gpu/reduce.h. */

/* Where a thread adds numbers that its expansions cannot hold. This is rare, so it may be slow. */
typedef struct {
  TS_GLOBAL TS_U64* limbs; /* the block's slot, or the limbs of an output */
  TS_U32 first;            /* number of the first limb */
  TS_U32 numbers;          /* count of numbers that this thread has spilled */
} TsSpill;

TS_FN TsSpill ts_spill_to(TS_GLOBAL TS_U64* limbs, TS_U32 first) {
  TsSpill spill;
  spill.limbs = limbs;
  spill.first = first;
  spill.numbers = 0;
  return spill;
}

/* `limb`: first limb of a kind of sum, TS_SUM_SPILL, ... */
TS_FN TS_GLOBAL TS_U64* ts_spill_limbs(const TsSpill* spill, TS_U32 limb) {
  return spill->limbs + (limb - spill->first);
}

TS_FN void ts_add_limb(TS_GLOBAL TS_U64* limb, TS_U64 value, int negative) {
  if (value != 0) TS_ATOMIC_ADD_64(limb, negative ? 0 - value : value);
}

/* Adds magnitude * 2^bit; bit 0 is the lowest bit of the limbs. */
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

/* `unit`: the bit of the limbs that has weight 2^0. */
TS_FN void ts_spill(TsSpill* spill, TS_U32 first_limb, int unit, double x) {
  const TsParts parts = ts_parts(x);
  ts_spill_magnitude(ts_spill_limbs(spill, first_limb), parts.significand, parts.exponent + unit,
                     parts.negative);
  spill->numbers += 1;
}

TS_FN void ts_spill_square(TsSpill* spill, double x) {
  const TsParts parts = ts_parts(x);
  const int bit = 2 * parts.exponent + TS_SQUARES_UNIT;
  TS_GLOBAL TS_U64* const limbs = ts_spill_limbs(spill, TS_SQUARES_SPILL);
  ts_spill_magnitude(limbs, parts.significand * parts.significand, bit, 0);
  ts_spill_magnitude(limbs, TS_MUL_HIGH(parts.significand, parts.significand), bit + 64, 0);
  spill->numbers += 1;
}

/* The exact sum is a + b + c + d, plus what was spilled. Terms are below 2^990 and fewer than 2^31,
 * so nothing overflows. A zero has the right sign: -0.0 results only from -0.0 + -0.0. */
typedef struct {
  double a, b, c, d;
} TsExpansion;

TS_FN TsExpansion ts_nothing(void) {
  TsExpansion none;
  none.a = -0.0;
  none.b = none.c = none.d = 0.0;
  return none;
}

/* Adds x to *sum with rounding and returns the rounding error, which is an f64 (Knuth, The Art of
 * Computer Programming 2, 4.2.2, theorem B). */
TS_FN double ts_two_sum(double* sum, double x) {
  const double before = *sum;
  const double after = ts_add(before, x);
  const double grown = ts_sub(after, before);
  *sum = after;
  return ts_add(ts_sub(before, ts_sub(after, grown)), ts_sub(x, grown));
}

/* As ts_two_sum(), faster if errors are rare. Returns whether there is an error, and only then sets
 * *rest. If both differences are zero, there is none; the comparisons detect this before the
 * subtractions. */
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

/* Adds a term that is small against the sum. */
TS_FN void ts_push_low(TsExpansion* sum, double x, TsSpill* spill, TS_U32 limb, int unit) {
  double rest = 0.0;
  if (ts_leaves_rest(&sum->b, x, &rest)) ts_push_rest(sum, rest, spill, limb, unit);
}

/* `is_short`: terms have so few bits that `a` holds most sums exactly. */
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

/* Bits of |x| from which a number is not added to the expansions: 2^990, infinities, NaN. */
#define TS_LARGE 0x7DD0000000000000
#define TS_INFINITE 0x7FF0000000000000
/* The square of x is p + e, with p = x x rounded and e = fma(x, x, -p), for 2^-479 <= |x| <= 2^494.
 * For smaller |x|, e could have bits below 2^-1074. */
// crossed by: reduction_parity_test.of_any_bits_of_every_type
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
