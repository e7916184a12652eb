/* Loads of four vectors at once, which hides the time that memory takes. Part of
 * kernels/gpu/reduce_kernels.h. */

typedef struct {
  TS_PAIR a, b, c, d;
} TsVectors;

TS_FN TS_PAIR ts_load_or(TS_GLOBAL const TS_PAIR* data, TS_U64 at, TS_U64 count, TS_U64 word) {
  TS_PAIR none;
  none.x = none.y = word;
  return at < count ? TS_LOAD(data + at) : none;
}

/* Vectors at, at + step, ...; beyond `count`, those of `word`. */
TS_FN TsVectors ts_load_four(TS_GLOBAL const TS_PAIR* data, TS_U64 at, TS_U64 step, TS_U64 count,
                             TS_U64 word) {
  TsVectors four;
  if (at + 3 * step < count) {
    four.a = TS_LOAD(data + at);
    four.b = TS_LOAD(data + at + step);
    four.c = TS_LOAD(data + at + 2 * step);
    four.d = TS_LOAD(data + at + 3 * step);
  } else {
    four.a = ts_load_or(data, at, count, word);
    four.b = ts_load_or(data, at + step, count, word);
    four.c = ts_load_or(data, at + 2 * step, count, word);
    four.d = ts_load_or(data, at + 3 * step, count, word);
  }
  return four;
}
