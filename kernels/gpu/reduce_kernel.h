/* The kernel for elements of one type. kernels/gpu/reduce_kernels.h includes this text once per
 * kernel, after defining TS_NAME, TS_ELEMENT_BYTES and
 *
 *   TS_SUMS TS_START()         type and initial value of a thread's sums
 *   TS_TAKE(bits, index, flags)  takes the element in the lowest bits of `bits`
 *   TS_TAKE_ALL                takes all elements of the thread
 *   TS_SUM_WORDS TS_JOIN_SUMS  for sums: ts_real_words and ts_join_reals, or those of integers
 *   TS_KIND(k) TS_KINDS_HERE   the kinds of words that are merged
 *
 * Thread t of T reads the vectors t, t + T, t + 2 T, ..., so that neighbouring threads read from
 * one cache line and indices increase. All threads reach every barrier, whatever the flags are:
 * compilers for CPUs turn the code between two barriers into a loop, and copy everything behind
 * each barrier that may be skipped. */
TS_KERNEL_OF(TS_REDUCE_BLOCK)
void TS_NAME(const struct TsReduce call, TS_GLOBAL const TS_PAIR* data,
             TS_GLOBAL struct TsReduced* records, TS_GLOBAL TS_U64* spill_limbs,
             TS_GLOBAL const double* edges, TS_GLOBAL TS_U64* bin_counts) {
  TS_LOCAL TS_U64 room[4 * TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 block_bins[TS_BLOCK_BINS];
  const TS_U32 thread = TS_THREAD();
  const TS_U32 flags = call.flags;
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + thread;
  TS_SUMS sums = TS_START();
  TsOrder order = ts_no_order();
  TsCounts counts = ts_no_counts();
  TsWords mine = ts_words(0, 0, 0, 0);
  TsSpill spill = ts_spill_to(spill_limbs + (TS_U32)TS_BLOCK() % TS_SPILL_SLOTS * TS_SLOT_LIMBS, 0);

  for (TS_U32 bin = thread; bin < TS_BLOCK_BINS; bin += TS_REDUCE_BLOCK) block_bins[bin] = 0;
  TS_BARRIER();
  TS_TAKE_ALL

  TS_BARRIER();
  for (TS_U32 bin = thread; bin < TS_BLOCK_BINS && bin < call.bins; bin += TS_REDUCE_BLOCK) {
    if (block_bins[bin] != 0) TS_ATOMIC_ADD_64(&bin_counts[bin], block_bins[bin]);
  }
#include "kernels/gpu/join.h"
}

#undef TS_NAME
#undef TS_ELEMENT_BYTES
#undef TS_EXTEND
#undef TS_SIGNED
#undef TS_WIDEN
#undef TS_SHORT
