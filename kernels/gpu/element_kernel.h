/* A kernel that takes elements one by one, whatever their type. kernels/gpu/reduce_kernels.h
 * includes this text once per kernel, after defining TS_NAME,
 *
 *   TS_SUMS TS_START()         type and initial value of a thread's sums
 *   TS_TAKE_AT(index)          takes the elements at an index; uses `data`, `table` and `call`
 *
 * and what kernels/gpu/join.h needs. `table` contains the logarithms for a product. Thread t of T
 * takes the elements t, t + T, ... */
TS_KERNEL_OF(TS_REDUCE_BLOCK)
void TS_NAME(const struct TsReduce call, TS_GLOBAL const TS_PAIR* elements,
             TS_GLOBAL struct TsReduced* records, TS_GLOBAL TS_U64* spill_limbs,
             TS_GLOBAL const double* edges, TS_GLOBAL TS_U64* bin_counts) {
  TS_LOCAL TS_U64 room[4 * TS_REDUCE_BLOCK];
  TS_GLOBAL const unsigned char* const data = (TS_GLOBAL const unsigned char*)elements;
  TS_GLOBAL const TS_U64* const table = (TS_GLOBAL const TS_U64*)edges;
  const TS_U32 thread = TS_THREAD();
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  TS_SUMS sums = TS_START();
  const TsOrder order = ts_no_order();
  TsCounts counts = ts_no_counts();
  TsWords mine = ts_words(0, 0, 0, 0);
  TsSpill spill = ts_spill_to(spill_limbs + (TS_U32)TS_BLOCK() % TS_SPILL_SLOTS * TS_SLOT_LIMBS, 0);
  (void)table, (void)bin_counts;

  for (TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + thread; at < call.elements;
       at += threads) {
    TS_TAKE_AT(at);
  }
#include "kernels/gpu/join.h"
}

#undef TS_NAME
#undef TS_SUMS
#undef TS_START
#undef TS_SUM_WORDS
#undef TS_JOIN_SUMS
#undef TS_KIND
#undef TS_KINDS_HERE
#undef TS_TAKE_AT
