/* The kernels of order statistics of many outputs: they search the elements of an output by their
 * keys, 8 bits at a time from the most significant ones on (radix selection). Every output has a
 * block. Part of kernels/gpu/reduce_kernels.h. */

/* Whether an element takes part, and its place in the order: the key, or among the largest that of
 * +0.0 for -0.0, and for NaN one that no number has. */
TS_FN int ts_order_of(const struct TsSelect* call, TS_U64 key, TS_U64* order) {
  const int is_number = key - call->least <= call->greatest - call->least;
  *order = key;
  if (!call->largest) return is_number;
  if (call->zero != 0 && key + 1 == call->zero) *order = call->zero;
  if (!is_number) *order = 0xFFFFFFFFFFFFFFFF >> (64 - call->bits);
  return is_number || call->nans != 0;
}

#if TS_HAS(select)
/* The counts of parts of TS_SELECT_PART values were added up. Finds the value that has the rank:
 * itself, how many are below it, how many have it, how many there are, and the next value that has
 * any, or TS_REDUCE_BLOCK. */
TS_FN void ts_find_value(TS_IN_LOCAL const TS_U32* counts, TS_IN_LOCAL const TS_U32* parts,
                         TS_U32 rank, int from_the_top, TS_IN_LOCAL TS_U32* found) {
  TS_U32 all = 0, below = 0, value = 0;
  for (TS_U32 part = 0; part < TS_REDUCE_BLOCK / TS_SELECT_PART; ++part) all += parts[part];
  if (from_the_top) rank = all > rank ? all - rank : 0;
  while (value + TS_SELECT_PART < TS_REDUCE_BLOCK &&
         rank >= below + parts[value / TS_SELECT_PART]) {
    below += parts[value / TS_SELECT_PART];
    value += TS_SELECT_PART;
  }
  while (value + 1 < TS_REDUCE_BLOCK && rank >= below + counts[value]) below += counts[value++];
  found[0] = value;
  found[1] = below;
  found[2] = counts[value];
  found[3] = all;
  while (++value < TS_REDUCE_BLOCK && counts[value] == 0) {
  }
  found[4] = value;
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_select(const struct TsSelect call, TS_GLOBAL unsigned char* memory) {
  TS_LOCAL TS_U32 counts[TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 parts[TS_REDUCE_BLOCK / TS_SELECT_PART];
  TS_LOCAL TS_U64 least[TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 found[5];
  TS_GLOBAL const unsigned char* const data = memory + call.elements_at;
  const TS_U32 thread = TS_THREAD();
  const TS_U64 first = (TS_U64)TS_BLOCK() * call.elements_each;
  const TS_U32 first_rank =
      call.largest ? call.largest : ((TS_GLOBAL const TS_U32*)(memory + call.ranks_at))[TS_BLOCK()];
  TS_U64 order = 0, beyond = TS_NOWHERE;
  TS_U32 rank = first_rank, below = 0, all = 0;

  for (TS_U32 shift = call.bits; shift > call.bits - call.searched_bits;) {
    const int is_first = shift == call.bits;
    shift -= 8;
    counts[thread] = 0;
    TS_BARRIER();
    for (TS_U64 i = thread; i < call.elements_each; i += TS_REDUCE_BLOCK) {
      TS_U64 mine;
      if (ts_order_of(&call, ts_load_key(data, call.type, first + i), &mine)) {
        const TS_U64 upper = is_first ? 0 : mine >> shift >> 8;
        if (upper == order) TS_COUNT_LOCAL(&counts[(mine >> shift) % TS_REDUCE_BLOCK]);
        if (upper > order && mine < beyond) beyond = mine;
      }
    }
    TS_BARRIER();
    if (thread < TS_REDUCE_BLOCK / TS_SELECT_PART) {
      TS_U32 sum = 0;
      for (TS_U32 i = 0; i < TS_SELECT_PART; ++i) sum += counts[thread * TS_SELECT_PART + i];
      parts[thread] = sum;
    }
    TS_BARRIER();
    if (thread == 0) ts_find_value(counts, parts, rank, is_first && call.largest != 0, found);
    TS_BARRIER();
    if (is_first) {
      all = found[3];
      if (call.largest) rank = all > rank ? all - rank : 0;
    }
    order = order << 8 | found[0];
    below += found[1];
    rank -= found[1];
  }
  least[thread] = beyond;
  TS_BARRIER();
  if (thread == 0) {
    TS_GLOBAL struct TsSelected* const to =
        (TS_GLOBAL struct TsSelected*)(memory + call.to) + TS_BLOCK();
    for (TS_U32 i = 0; i < TS_REDUCE_BLOCK; ++i) {
      if (least[i] < beyond) beyond = least[i];
    }
    if (found[4] < TS_REDUCE_BLOCK) beyond = order - found[0] + found[4];
    to->order = order;
    to->next = beyond;
    to->below = below;
    to->equal = found[2];
    to->all = all;
    to->unused = 0;
  }
}
#endif

#if TS_HAS(list)
/* Lists the elements above the last one of the largest, and of those that are equal to it the first
 * ones that have room. A thread has consecutive elements. */
TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_list(const struct TsSelect call, TS_GLOBAL unsigned char* memory) {
  TS_LOCAL TS_U32 equal_ones[TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 listed[1];
  TS_GLOBAL const unsigned char* const data = memory + call.elements_at;
  TS_GLOBAL const struct TsSelected* const last =
      (TS_GLOBAL const struct TsSelected*)(memory + call.to) + TS_BLOCK();
  TS_GLOBAL TS_U64* const list =
      (TS_GLOBAL TS_U64*)(memory + call.list_at) + (TS_U64)TS_BLOCK() * call.largest * 2;
  const TS_U32 thread = TS_THREAD();
  const TS_U64 first = (TS_U64)TS_BLOCK() * call.elements_each;
  const TS_U64 each = (call.elements_each + TS_REDUCE_BLOCK - 1) / TS_REDUCE_BLOCK;
  const TS_U64 from = thread * each;
  const TS_U64 end = from + each < call.elements_each ? from + each : call.elements_each;
  const TS_U32 length = call.largest < last->all ? call.largest : last->all;
  TS_U32 mine = 0;

  if (thread == 0) listed[0] = 0;
  for (TS_U64 i = from; i < end; ++i) {
    TS_U64 order;
    if (ts_order_of(&call, ts_load_key(data, call.type, first + i), &order)) {
      if (order == last->order) mine += 1;
    }
  }
  equal_ones[thread] = mine;
  TS_BARRIER();
  TS_U32 slot = last->all - last->below - last->equal;
  for (TS_U32 i = 0; i < thread; ++i) slot += equal_ones[i];
  for (TS_U64 i = from; i < end; ++i) {
    TS_U64 order;
    const TS_U64 key = ts_load_key(data, call.type, first + i);
    if (ts_order_of(&call, key, &order) && order >= last->order) {
      const TS_U32 to = order == last->order ? slot++ : TS_ATOMIC_ADD(&listed[0], 1u);
      if (to < length) {
        list[2 * to] = key;
        list[2 * to + 1] = i;
      }
    }
  }
}
#endif
