/* Reductions along axes by a GPU: where an element is and which output it makes
 * (kernels/gpu/axis_arguments.h), and cells. Part of kernels/gpu/reduce_kernels.h. */

/* Where number `number` of something is along its levels. */
typedef struct {
  TS_U64 step; /* of outputs, or of places */
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

/* What a cell has of a kind: ts_tell() the other way round. */
TS_FN TsWords ts_told(TS_GLOBAL const struct TsReduced* cell, TS_U32 kind) {
  if (kind < TS_EXTREMES) {
    TS_GLOBAL const TS_U64* const sum = kind == 0   ? cell->sum
                                        : kind == 1 ? cell->absolute
                                                    : cell->squares;
    return ts_words(sum[0], sum[1], sum[2], sum[3]);
  }
  if (kind == TS_EXTREMES) return ts_words(cell->least, cell->greatest, cell->first_nan, 0);
  if (kind == TS_INDICES) {
    return ts_words(cell->least_key, cell->least_at, cell->greatest_key, cell->greatest_at);
  }
  return ts_words((TS_U64)cell->nans << 32 | cell->nonzero,
                  (TS_U64)cell->positive_infinities << 32 | cell->negative_infinities,
                  cell->spilled, 0);
}
