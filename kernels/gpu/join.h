/* The end of a kernel: consecutive threads merge their results, and the first of them gets the
 * total. This text stands in the kernel, which has `room`, `thread`, `mine`, `sums`, `order`,
 * `counts` and `spill`. It needs these definitions:
 *
 *   TS_LANES TS_LANE TS_JOINS  number of threads (a power of two), index of this one,
 *                              1 + log2(TS_LANES)
 *   TS_KIND(k) TS_KINDS_HERE   the kinds of words that are merged
 *   TS_SUM_WORDS TS_JOIN_SUMS  for sums: ts_real_words and ts_join_reals, or those of integers
 *   TS_EMIT(kind, words)       what the first thread does with the total of a kind
 *
 * The reduction is a binary tree, for one kind after another. First all threads write their words.
 * Then the lower half of the threads merges the words of the upper half, then the lower quarter
 * those of the second quarter, and so on. */
TS_ROLLED for (TS_U32 step = 0; step < TS_JOINS * TS_KINDS_HERE; ++step) {
  const TS_U32 kind = TS_KIND(step / TS_JOINS);
  const TS_U32 reach = TS_LANES >> (step % TS_JOINS);
  TS_BARRIER();
  if (TS_LANE < reach) {
    if (step % TS_JOINS == 0) {
      mine = kind < TS_EXTREMES ? TS_SUM_WORDS(&sums, kind)
                                : ts_other_words(&order, &counts, &spill, kind);
    } else {
      const TsWords other = ts_read_words(room, thread + reach);
      mine = kind < TS_EXTREMES ? TS_JOIN_SUMS(&mine, &other, kind, &spill)
                                : ts_join_others(&mine, &other, kind);
    }
    ts_write_words(room, thread, &mine);
  }
  if (TS_LANE == 0 && reach == 1) TS_EMIT(kind, &mine);
}
