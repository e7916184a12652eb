/* The end of a kernel whose threads have come to something: some threads in a row join what they
 * have, and the first of them gets all of it. Stands in the kernel, which has `room`, `thread`,
 * `mine`, `sums`, `order`, `counts` and `spill`; before it are defined
 *
 *   TS_LANES TS_LANE TS_JOINS     how many threads, a power of two, which of them, and 1 +
 * log2(TS_LANES) TS_KIND(k) TS_KINDS_HERE      the kinds of words that are joined TS_SUM_WORDS
 * TS_JOIN_SUMS     of sums: ts_real_words, ts_join_reals or those of integers TS_TELL(kind, words)
 * what the first thread does with all of a kind
 *
 * By halves, kind after kind: at first all threads write what they have, and then those of the
 * lower half join it with that of the upper one, those of the lower quarter, ... */
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
  if (TS_LANE == 0 && reach == 1) TS_TELL(kind, &mine);
}
