/* The kernel of reductions of groups: each element is added to the cell of its group by atomics
 * (kernels/gpu/group_arguments.h). All are sums of integers or maxima, which have no order. Part of
 * kernels/gpu/reduce_kernels.h. */

/* Adds magnitude * 2^shift, in units of the window, to the sums that are requested. */
TS_FN void ts_add_to_group(const struct TsGroups* call, TS_GLOBAL TS_U32* cell, TS_U64 magnitude,
                           int shift, int negative) {
  if (call->flags & TS_WANT_SUM) {
    ts_spill_magnitude((TS_GLOBAL TS_U64*)(cell + call->sum_word), magnitude, shift, negative);
  }
  if (call->flags & TS_WANT_ABSOLUTE) {
    ts_spill_magnitude((TS_GLOBAL TS_U64*)(cell + call->absolute_word), magnitude, shift, 0);
  }
  if (call->flags & TS_WANT_SQUARES) {
    TS_GLOBAL TS_U64* const limbs = (TS_GLOBAL TS_U64*)(cell + call->squares_word);
    ts_spill_magnitude(limbs, magnitude * magnitude, 2 * shift, 0);
    ts_spill_magnitude(limbs, TS_MUL_HIGH(magnitude, magnitude), 2 * shift + 64, 0);
  }
}

TS_FN void ts_count_real(const struct TsGroups* call, TS_GLOBAL TS_U32* cell, TS_U64 bits,
                         TS_GLOBAL TS_U32* outside) {
  const TS_U64 magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  const int negative = bits != magnitude;
  const int is_nan = magnitude > TS_INFINITE;
  const int skipped = is_nan && (call->flags & TS_SKIP_NAN) != 0;
  if ((call->flags & TS_WANT_NONZERO) && magnitude != 0 && !skipped) {
    TS_ATOMIC_ADD(&cell[TS_CELL_NONZERO], 1u);
  }
  if (is_nan) {
    TS_ATOMIC_ADD(&cell[TS_CELL_NANS], 1u);
  } else if (magnitude == TS_INFINITE) {
    TS_ATOMIC_ADD(&cell[negative ? TS_CELL_NEGATIVE_INFINITIES : TS_CELL_POSITIVE_INFINITIES], 1u);
  } else if (magnitude == 0) {
    TS_ATOMIC_ADD(&cell[negative ? TS_CELL_NEGATIVE_ZEROS : TS_CELL_POSITIVE_ZEROS], 1u);
  } else if (call->flags & (TS_WANT_SUM | TS_WANT_ABSOLUTE | TS_WANT_SQUARES)) {
    const TsParts parts = ts_parts(ts_from_bits(magnitude));
    const int shift = parts.exponent + 1075 - (int)call->window_first;
    if (shift < 0 || shift >= (int)call->window_count) {
      TS_ATOMIC_ADD(outside, 1u);
    } else {
      ts_add_to_group(call, cell, parts.significand, shift, negative);
    }
  }
}

/* Word `number` of a key and a place. */
TS_FN TS_U32 ts_order_word(TS_U64 key, TS_U64 place, TS_U32 number) {
  const TS_U64 both = number < 2 ? key : place;
  return number % 2 == 0 ? (TS_U32)(both >> 32) : (TS_U32)both;
}

/* Raises the word of this phase if the words before are equal. */
TS_FN void ts_raise(TS_GLOBAL TS_U32* words, TS_U64 key, TS_U64 place, TS_U32 phase) {
  for (TS_U32 i = 0; i < phase; ++i) {
    if (words[i] != ts_order_word(key, place, i)) return;
  }
  TS_ATOMIC_MAX(&words[phase], ts_order_word(key, place, phase));
}

TS_FN void ts_keep_larger(TS_GLOBAL TS_U32* words) {
  TS_U32 equal = 0;
  while (equal < TS_CELL_KEPT && words[equal] == words[TS_CELL_KEPT + equal]) ++equal;
  const int larger = equal < TS_CELL_KEPT && words[equal] > words[TS_CELL_KEPT + equal];
  for (TS_U32 i = 0; i < TS_CELL_KEPT; ++i) {
    if (larger) words[TS_CELL_KEPT + i] = words[i];
    words[i] = 0;
  }
}

/* `key`: of a number. */
TS_FN void ts_order_in_group(const struct TsGroups* call, TS_GLOBAL TS_U32* cell, TS_U64 key,
                             int is_nan, TS_U64 place) {
  TS_GLOBAL TS_U32* const order = cell + call->order_word;
  if (is_nan) {
    if (call->phase >= TS_GROUPS_PLACES) {
      ts_raise(order + TS_CELL_FIRST_NAN, 0, ~place, call->phase);
    }
    return;
  }
  ts_raise(order + TS_CELL_LEAST, ~key, ~place, call->phase);
  ts_raise(order + TS_CELL_GREATEST, key, ~place, call->phase);
}

TS_FN void ts_take_real_of_group(const struct TsGroups* call, TS_GLOBAL TS_U32* cell, double x,
                                 TS_U64 place, TS_GLOBAL TS_U32* outside) {
  const TS_U64 bits = ts_to_bits(x);
  const TS_U64 magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  const TS_U64 sign = 0x8000000000000000;
  const TS_U64 key = bits != magnitude && magnitude != 0 ? ~bits : magnitude | sign;
  if (call->phase == TS_GROUPS_SUMS) ts_count_real(call, cell, bits, outside);
  if (call->flags & (TS_WANT_EXTREMES | TS_WANT_INDICES)) {
    ts_order_in_group(call, cell, key, magnitude > TS_INFINITE, place);
  }
}

/* `x` is extended to 64 bits with its sign. */
TS_FN void ts_take_integer_of_group(const struct TsGroups* call, TS_GLOBAL TS_U32* cell, TS_U64 x,
                                    TS_U64 place) {
  const int is_signed = call->type < TS_TYPE_U8;
  const int negative = is_signed && x >> 63 != 0;
  const TS_U64 key = is_signed ? x ^ 0x8000000000000000 : x;
  if (call->phase == TS_GROUPS_SUMS) {
    if ((call->flags & TS_WANT_NONZERO) && x != 0) TS_ATOMIC_ADD(&cell[TS_CELL_NONZERO], 1u);
    ts_add_to_group(call, cell, negative ? 0 - x : x, 0, negative);
  }
  if (call->flags & (TS_WANT_EXTREMES | TS_WANT_INDICES)) {
    ts_order_in_group(call, cell, key, 0, place);
  }
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_groups(const struct TsGroups call, TS_GLOBAL unsigned char* memory) {
  TS_GLOBAL TS_U32* const outside = (TS_GLOBAL TS_U32*)memory;
  TS_GLOBAL const TS_U32* const groups = (TS_GLOBAL const TS_U32*)(memory + call.groups_at);
  TS_GLOBAL const unsigned char* const data = memory + call.elements_at;
  TS_GLOBAL const TS_U64* const places = (TS_GLOBAL const TS_U64*)(memory + call.places_at);
  TS_GLOBAL TS_U32* const cells = (TS_GLOBAL TS_U32*)(memory + call.cells_at);
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD();

  if (call.phase == TS_GROUPS_KEEP) {
    for (; at < call.elements; at += threads) {
      TS_GLOBAL TS_U32* const order = cells + at * call.cell_words + call.order_word;
      ts_keep_larger(order + TS_CELL_LEAST);
      ts_keep_larger(order + TS_CELL_GREATEST);
      ts_keep_larger(order + TS_CELL_FIRST_NAN);
    }
    return;
  }
  for (; at < call.elements; at += threads) {
    const TS_U64 number = (TS_U64)groups[at] * call.copies + at % call.copies;
    TS_GLOBAL TS_U32* const cell = cells + number * call.cell_words;
    const TS_U64 place = call.flags & TS_WANT_INDICES ? places[at] : 0;
    if (call.phase == TS_GROUPS_SUMS) TS_ATOMIC_ADD(&cell[TS_CELL_ELEMENTS], 1u);
    if (call.type >= TS_TYPE_F16) {
      ts_take_real_of_group(&call, cell, ts_load_real(data, call.type, at), place, outside);
    } else {
      ts_take_integer_of_group(&call, cell, ts_load_integer(data, call.type, at), place);
    }
  }
}
