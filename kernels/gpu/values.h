/* The kernel that counts how often each value occurs, in hash tables (kernels/gpu/key_arguments.h).
 * Which slot a value gets depends on the order of the threads; the counts do not. Part of
 * kernels/gpu/reduce_kernels.h. */

/* Adds `count` elements with the key of element `index`. */
TS_FN void ts_count_value(const struct TsValues* call, TS_GLOBAL const unsigned char* data,
                          TS_GLOBAL struct TsValueSlot* slots, TS_U64 key, TS_U64 first,
                          TS_U32 index, TS_U32 count) {
  /* Fibonacci hashing: the upper bits of the product depend on all bits of the key. */
  TS_U32 at = (TS_U32)((key * 0x9E3779B97F4A7C15 >> 32) * call->slots >> 32);
  while (1) {
    const TS_U32 there = TS_ATOMIC_SET_IF(&slots[at].element, 0u, index + 1);
    if (there == 0 || ts_load_key(data, call->type, first + there - 1) == key) break;
    at = at + 1 < call->slots ? at + 1 : 0;
  }
  TS_ATOMIC_ADD(&slots[at].count, count);
}

/* Thread `thread` of `threads` adds its elements. Equal ones in a row are added together. */
TS_FN void ts_count_values(const struct TsValues* call, TS_GLOBAL const unsigned char* data,
                           TS_GLOBAL struct TsValueSlot* slots, TS_U64 first, TS_U32 thread,
                           TS_U32 threads) {
  TS_U64 last = 0;
  TS_U32 at_last = 0, equal = 0;
  for (TS_U64 i = thread; i < call->elements_each; i += threads) {
    const TS_U64 key = ts_load_key(data, call->type, first + i);
    if (key < call->least || key > call->greatest) continue;
    if (equal != 0 && key != last) {
      ts_count_value(call, data, slots, last, first, at_last, equal);
      equal = 0;
    }
    last = key;
    at_last = (TS_U32)i;
    equal += 1;
  }
  if (equal != 0) ts_count_value(call, data, slots, last, first, at_last, equal);
}

TS_FN void ts_take_value(struct TsMode* mode, TS_U64 key, TS_U32 count) {
  if (count < mode->count || (count == mode->count && key > mode->key)) return;
  mode->key = key;
  mode->count = count;
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_values(const struct TsValues call, TS_GLOBAL unsigned char* memory) {
  TS_LOCAL TS_U64 keys[TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 counts[TS_REDUCE_BLOCK];
  TS_LOCAL TS_U32 different[TS_REDUCE_BLOCK];
  TS_GLOBAL const unsigned char* const data = memory + call.elements_at;
  const TS_U32 table = (TS_U32)TS_BLOCK() / call.splits;
  const TS_U32 thread = (TS_U32)TS_BLOCK() % call.splits * TS_REDUCE_BLOCK + TS_THREAD();
  const TS_U32 threads = call.splits * TS_REDUCE_BLOCK;
  const TS_U64 first = table * call.elements_each;
  TS_GLOBAL struct TsValueSlot* const slots =
      (TS_GLOBAL struct TsValueSlot*)(memory + call.tables_at) + (TS_U64)table * call.slots;
  TS_GLOBAL TS_U32* const listed = (TS_GLOBAL TS_U32*)(memory + call.to) + TS_KEYS_LISTED;
  TS_GLOBAL TS_U64* const list = (TS_GLOBAL TS_U64*)(listed + 1);
  struct TsMode mode;
  mode.key = 0;
  mode.count = mode.distinct = 0;

  if (call.what == TS_VALUES_COUNTED) {
    ts_count_values(&call, data, slots, first, thread, threads);
    return;
  }
  for (TS_U64 at = thread; at < call.slots; at += threads) {
    if (slots[at].element == 0) continue;
    const TS_U64 key = ts_load_key(data, call.type, first + slots[at].element - 1);
    if (call.what == TS_VALUES_LISTED) {
      const TS_U64 place = TS_ATOMIC_ADD(listed, 1u);
      list[2 * place] = key;
      list[2 * place + 1] = slots[at].count;
    } else {
      ts_take_value(&mode, key, slots[at].count);
      mode.distinct += 1;
    }
  }
  if (call.what == TS_VALUES_LISTED) return;
  keys[TS_THREAD()] = mode.key;
  counts[TS_THREAD()] = mode.count;
  different[TS_THREAD()] = mode.distinct;
  TS_BARRIER();
  if (TS_THREAD() != 0) return;
  for (TS_U32 i = 1; i < TS_REDUCE_BLOCK; ++i) {
    if (counts[i] != 0) ts_take_value(&mode, keys[i], counts[i]);
    mode.distinct += different[i];
  }
  ((TS_GLOBAL struct TsMode*)(memory + call.to))[table] = mode;
}
