/* The kernel for the sum of f64 alone. Threads have expansions. Where many terms are spilled, their
 * sizes are too different, and the block goes on with fixed-point numbers in its memory. Part of
 * kernels/gpu/reduce_kernels.h. */

/* So many threads of a block have a fixed-point number: 48 KiB have no room for more. Its limbs are
 * those to which expansions are spilled; they have room for the terms of a launch. The limbs of a
 * thread are TS_WIDE_THREADS apart, so that no two threads share a bank. */
#define TS_WIDE_THREADS 64u
#define TS_WIDE_WORDS (TS_SUM_LIMBS * TS_WIDE_THREADS)
/* Rounds of 8 terms from one look at what was spilled to the next; the first one comes at once. */
// crossed by: of_sizes_that_change
#define TS_ROUNDS_OF_LOOK 16u
#define TS_MOST_SPILLED 1u /* of the terms of a round */

TS_FN void ts_take_f64(TS_IN_LOCAL TS_U64* limbs, TsCounts* counts, TS_U64 bits) {
  const TS_U64 fraction = bits & 0xFFFFFFFFFFFFF;
  const TS_U32 field = (TS_U32)(bits >> 52) & 0x7FF;
  const int negative = bits >> 63 != 0;
  const TS_U64 magnitude = field == 0 ? fraction : fraction | 0x10000000000000;
  const TS_U64 significand = negative ? 0 - magnitude : magnitude;
  const TS_U32 bit = (field == 0 ? 1 : field) + (TS_SUM_UNIT - 1075);
  const TS_U32 shift = bit % 32;
  const TS_U64 low = significand << shift;
  TS_IN_LOCAL TS_U64* const limb = limbs + bit / 32 * TS_WIDE_THREADS;
  if (field == 0x7FF) {
    ts_count_special(counts, fraction != 0, negative);
    return;
  }
  /* Only the highest piece has a sign, as in two's complement. All are read before one is written,
   * so that the reads do not wait for each other. */
  {
    const TS_U64 a = limb[0];
    const TS_U64 b = limb[TS_WIDE_THREADS];
    const TS_U64 c = limb[2 * TS_WIDE_THREADS];
    limb[0] = a + (low & 0xFFFFFFFFu);
    limb[TS_WIDE_THREADS] = b + (low >> 32);
    limb[2 * TS_WIDE_THREADS] = c + (TS_U64)((TS_I64)significand >> 32 >> (32 - shift));
  }
}

TS_FN void ts_take_two(TS_IN_LOCAL TS_U64* limbs, TsCounts* counts, TS_PAIR pair) {
  ts_take_f64(limbs, counts, pair.x);
  ts_take_f64(limbs, counts, pair.y);
}

/* Spills the sum of the block's fixed-point numbers: a thread has one limb of each. It begins at
 * another number than its neighbours, because of the banks. */
TS_FN void ts_spill_limb(TsSpill* spill, TS_IN_LOCAL const TS_U64* room, TS_U32 thread) {
  TS_U64 sum = 0;
  TS_ROLLED for (TS_U32 k = 0; k < TS_WIDE_THREADS; ++k) {
    sum += room[thread * TS_WIDE_THREADS + (thread + k) % TS_WIDE_THREADS];
  }
  ts_add_limb(ts_spill_limbs(spill, TS_SUM_SPILL) + thread, sum, 0);
}

#define TS_PUSH_BITS(bits) \
  ts_take_real(&sums, &order, &counts, &spill, ts_from_bits(bits), 0, 0, TS_WANT_SUM)
#define TS_PUSH_TWO(pair) \
  TS_PUSH_BITS((pair).x); \
  TS_PUSH_BITS((pair).y)

/* A block takes rows of as many vectors as it has threads. */
TS_KERNEL_AT_ONCE(TS_REDUCE_BLOCK, 5)
void ts_sum_f64(const struct TsReduce call, TS_GLOBAL const TS_PAIR* data,
                TS_GLOBAL struct TsReduced* records, TS_GLOBAL TS_U64* spill_limbs,
                TS_GLOBAL const double* edges, TS_GLOBAL TS_U64* bin_counts) {
  TS_LOCAL TS_U64 room[TS_WIDE_WORDS];
  TS_LOCAL TS_U32 spillers;
  const TS_U32 thread = TS_THREAD();
  const TS_U64 zeros = 0x8000000000000000; /* -0.0, which changes no sum */
  const TS_U64 vectors = call.elements / 2;
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  TS_U64 row = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK;
  TS_U32 rounds = 1;
  int is_wide = 0;
  TsReals sums = ts_start_reals();
  TsOrder order = ts_no_order();
  TsCounts counts = ts_no_counts();
  TsWords mine = ts_words(0, 0, 0, 0);
  TsSpill spill = ts_spill_to(spill_limbs + (TS_U32)TS_BLOCK() % TS_SPILL_SLOTS * TS_SLOT_LIMBS, 0);
  (void)edges, (void)bin_counts;

  if (thread == 0) spillers = 0;
  TS_BARRIER();
  while (!is_wide && row < vectors) {
    const TS_U32 before = spill.numbers;
    TS_U32 round = 0;
    for (; round < rounds && row < vectors; ++round) {
      const TsVectors four = ts_load_four(data, row + thread, threads, vectors, zeros);
      TS_PUSH_TWO(four.a);
      TS_PUSH_TWO(four.b);
      TS_PUSH_TWO(four.c);
      TS_PUSH_TWO(four.d);
      row += 4 * threads;
    }
    if (spill.numbers - before > TS_MOST_SPILLED * round) TS_COUNT_LOCAL(&spillers);
    TS_BARRIER();
    is_wide = spillers != 0;
    TS_BARRIER();
    rounds = TS_ROUNDS_OF_LOOK;
  }
  if (is_wide && thread < TS_WIDE_THREADS) {
    for (TS_U32 k = 0; k < TS_SUM_LIMBS; ++k) room[k * TS_WIDE_THREADS + thread] = 0;
    for (; row < vectors; row += threads) {
      const TsVectors four = ts_load_four(data, row + thread, TS_WIDE_THREADS, vectors, zeros);
      ts_take_two(room + thread, &counts, four.a);
      ts_take_two(room + thread, &counts, four.b);
      ts_take_two(room + thread, &counts, four.c);
      ts_take_two(room + thread, &counts, four.d);
    }
  }
  if (call.elements % 2 != 0 && TS_BLOCK() == 0 && thread == 0) {
    TS_PUSH_BITS(((TS_GLOBAL const TS_U64*)data)[call.elements - 1]);
  }
  TS_BARRIER();
  if (is_wide && thread < TS_SUM_LIMBS) ts_spill_limb(&spill, room, thread);
#include "kernels/gpu/join.h"
}

#undef TS_PUSH_BITS
#undef TS_PUSH_TWO
