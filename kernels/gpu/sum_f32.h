/* The kernel for the sum of f32 alone. Part of kernels/gpu/reduce_kernels.h. */

#include "kernels/gpu/windows.h"

#define TS_TERMS_OF_ROUND 16u
/* Rounds that miss the window until another window is chosen. */
// crossed by: of_sizes_that_change
#define TS_MISSED_ROUNDS 8u

TS_KERNEL_AT_ONCE(TS_REDUCE_BLOCK, 5)
void ts_sum_f32(const struct TsReduce call, TS_GLOBAL const TS_PAIR* data,
                TS_GLOBAL struct TsReduced* records, TS_GLOBAL TS_U64* spill_limbs,
                TS_GLOBAL const double* edges, TS_GLOBAL TS_U64* bin_counts) {
  TS_LOCAL TS_U64 room[TS_TABLE_WORDS];
  const TS_U32 thread = TS_THREAD();
  const TS_U64 zeros = 0x8000000080000000; /* -0.0, which changes no sum */
  const TS_U64 vectors = call.elements / 4;
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  const TS_U64 first = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + thread;
  TsTable table = ts_table_in(room + thread);
  TsWindow window = ts_window_from(0);
  TS_U32 missed = TS_MISSED_ROUNDS - 1;
  TsReals sums = ts_start_reals();
  TsOrder order = ts_no_order();
  TsCounts counts = ts_no_counts();
  TsWords mine = ts_words(0, 0, 0, 0);
  TsSpill spill = ts_spill_to(spill_limbs + (TS_U32)TS_BLOCK() % TS_SPILL_SLOTS * TS_SLOT_LIMBS, 0);
  (void)edges, (void)bin_counts;

  for (TS_U64 at = first; at < vectors; at += 4 * threads) {
    const TsVectors four = ts_load_four(data, at, threads, vectors, zeros);
    TsRange range = ts_no_range();
    ts_extend(&range, four.a);
    ts_extend(&range, four.b);
    ts_extend(&range, four.c);
    ts_extend(&range, four.d);
    if (ts_is_in(&window, &range)) {
      window.sum = ts_add(window.sum, ts_sum_of_four(four.a));
      window.sum = ts_add(window.sum, ts_sum_of_four(four.b));
      window.sum = ts_add(window.sum, ts_sum_of_four(four.c));
      window.sum = ts_add(window.sum, ts_sum_of_four(four.d));
      window.rounds += 1;
      if (window.rounds == TS_WINDOW_TERMS / TS_TERMS_OF_ROUND) ts_empty(&window, &table);
    } else {
      ts_take_four(&table, &counts, four.a);
      ts_take_four(&table, &counts, four.b);
      ts_take_four(&table, &counts, four.c);
      ts_take_four(&table, &counts, four.d);
      missed += 1;
      if (missed == TS_MISSED_ROUNDS) {
        ts_empty(&window, &table);
        window = ts_window_for(window, range.greatest);
        missed = 0;
      }
    }
  }
  ts_empty(&window, &table);
  if (4 * vectors + first < call.elements) {
    ts_take_f32(&table, &counts, ((TS_GLOBAL const TS_U32*)data)[4 * vectors + first]);
  }
  if (table.not_minus_zero != 0) ts_push(&sums.sum, 0.0, 1, &spill, TS_SUM_SPILL, TS_SUM_UNIT);
  TS_BARRIER();
  ts_push_tables(&sums.sum, room, thread, &spill);
#include "kernels/gpu/join.h"
}
