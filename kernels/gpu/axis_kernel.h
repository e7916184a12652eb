/* The kernel of reductions along axes. kernels/gpu/reduce_kernels.h includes this text once per
 * kernel, after defining TS_NAME and
 *
 *   TS_SUMS TS_START()         type and initial value of a thread's sums
 *   TS_TAKE_AT(at, place)      takes the element `at`; uses the kernel's `data`, `call` and `bins`
 *   TS_SUM_WORDS TS_JOIN_SUMS  convert and merge sums */
#define TS_LANES call.lanes
#define TS_LANE lane
#define TS_JOINS call.joins
#define TS_KIND(k) (k)
#define TS_KINDS_HERE TS_KINDS
/* The round is stored with the last kind. Until then, a cell of an earlier round is recognised as
 * such. */
#define TS_EMIT(kind, words)                                                             \
  if (split < call.splits) {                                                             \
    TS_GLOBAL struct TsReduced* const cell = &cells[split * call.tile_outputs + output]; \
    if (cell->round == call.round) {                                                     \
      const TsWords before = ts_told(cell, (kind));                                      \
      mine = (kind) < TS_EXTREMES ? TS_JOIN_SUMS(&mine, &before, (kind), &spill)         \
                                  : ts_join_others(&mine, &before, (kind));              \
    }                                                                                    \
    ts_tell(cell, (kind), (words));                                                      \
    if ((kind) == TS_COUNTS) {                                                           \
      cell->spilled |= spill.numbers != 0;                                               \
      cell->round = call.round;                                                          \
    }                                                                                    \
  }

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void TS_NAME(const struct TsAxis call, TS_GLOBAL const TS_PAIR* elements,
             TS_GLOBAL struct TsReduced* cells, TS_GLOBAL TS_U64* spill_limbs,
             TS_GLOBAL const double* edges, TS_GLOBAL TS_U64* bin_counts) {
  TS_LOCAL TS_U64 room[4 * TS_REDUCE_BLOCK];
  TS_GLOBAL const unsigned char* const data = (TS_GLOBAL const unsigned char*)elements;
  const TS_U32 thread = TS_THREAD();
  const TS_U32 cell_number = (TS_U32)(((TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + thread) / call.lanes);
  const TS_U32 lane = thread % call.lanes;
  const TS_U32 split = cell_number / call.outputs;
  const TsSpot kept = ts_spot(call.kept, call.kept_levels, cell_number % call.outputs);
  const TS_U64 output = call.first_output + kept.step;
  const TS_U32 flags = call.flags;
  TS_SUMS sums = TS_START();
  TsOrder order = ts_no_order();
  TsCounts counts = ts_no_counts();
  TsWords mine = ts_words(0, 0, 0, 0);
  TsSpill spill = ts_spill_to(spill_limbs + output * call.limbs, call.first_limb);
  TS_GLOBAL TS_U64* const bins = bin_counts + output * call.bins;

  if (split < call.splits) {
    for (TS_U32 term = split * call.lanes + lane; term < call.terms;
         term += call.splits * call.lanes) {
      const TsSpot spot = ts_spot(call.reduced, call.reduced_levels, term);
      TS_TAKE_AT(kept.offset + spot.offset, call.first_index + spot.step);
    }
  }
#include "kernels/gpu/join.h"
}

#undef TS_NAME
#undef TS_SUMS
#undef TS_START
#undef TS_SUM_WORDS
#undef TS_JOIN_SUMS
#undef TS_TAKE_AT
#undef TS_LANES
#undef TS_LANE
#undef TS_JOINS
#undef TS_KIND
#undef TS_KINDS_HERE
#undef TS_EMIT
