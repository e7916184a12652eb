/* Reductions along axes on a GPU: the position of an element, its output
 * (kernels/gpu/axis_arguments.h), and cells. Part of kernels/gpu/reduce_kernels.h. */

/* Position of output or term `number` within its levels. */
typedef struct {
  TS_U64 step; /* in outputs, or in indices of the elements of an output */
  TS_U32 offset;
} TsSpot;

TS_FN TsSpot ts_spot(const struct TsAxisLevel* levels, TS_U32 count, TS_U32 number) {
  TsSpot spot;
  spot.step = 0;
  spot.offset = 0;
  for (TS_U32 level = count; level-- > 1;) {
    const TS_U32 outer = number / levels[level].extent;
    const TS_U32 at = number - outer * levels[level].extent;
    spot.step += at * levels[level].step;
    spot.offset += at * levels[level].stride;
    number = outer;
  }
  if (count > 0) {
    spot.step += number * levels[0].step;
    spot.offset += number * levels[0].stride;
  }
  return spot;
}

/* Reads the words of a kind from a cell: the inverse of ts_tell(). */
TS_FN TsWords ts_told(TS_GLOBAL const struct TsReduced* cell, TS_U32 kind) {
  if (kind < TS_EXTREMES) {
    TS_GLOBAL const TS_U64* const sum = kind == 0   ? cell->sum
                                        : kind == 1 ? cell->absolute
                                                    : cell->squares;
    return ts_words(sum[0], sum[1], sum[2], sum[3]);
  }
  if (kind == TS_EXTREMES) return ts_words(cell->least, cell->greatest, cell->first_nan, 0);
  if (kind == TS_INDICES) {
    return ts_words(cell->min_key, cell->least_at, cell->greatest_key, cell->greatest_at);
  }
  return ts_words((TS_U64)cell->nans << 32 | cell->nonzero,
                  (TS_U64)cell->positive_infinities << 32 | cell->negative_infinities,
                  cell->spilled, 0);
}
