/* The kernel of order statistics of large groups: finds the group of each element by its key, and
 * counts the element in the bins of the group's ranges, or lists it for the host
 * (kernels/gpu/group_arguments.h). Part of kernels/gpu/reduce_kernels.h. */

/* The number of the first group whose key is not below. */
TS_FN TS_U32 ts_find_group(TS_GLOBAL const struct TsSearchedGroup* groups, TS_U32 count,
                           TS_U64 key) {
  TS_U32 first = 0;
  while (count > 0) {
    const TS_U32 middle = count / 2;
    if (groups[first + middle].key < key) {
      first += middle + 1;
      count -= middle + 1;
    } else {
      count = middle;
    }
  }
  return first;
}

TS_FN int ts_is_left(const struct TsSearch* call, TS_GLOBAL const struct TsSearchedGroup* group,
                     TS_GLOBAL const struct TsSearchedRange* ranges, TS_U64 key) {
  const TS_U64 order = call->zero != 0 && key + 1 == call->zero ? call->zero : key;
  if (key - call->least > call->greatest - call->least) return (group->flags & TS_LEAVES_NANS) != 0;
  if ((group->flags & TS_LEAVES_TOP) && order >= group->top_from) return 1;
  for (TS_U32 i = group->first_range; i < group->end_range; ++i) {
    const int inside = key >= ranges[i].low && key <= ranges[i].high;
    if (inside && ranges[i].shift == TS_RANGE_LEFT) return 1;
  }
  return 0;
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_search(const struct TsSearch call, TS_GLOBAL unsigned char* memory) {
  TS_GLOBAL const struct TsSearchedGroup* const groups =
      (TS_GLOBAL const struct TsSearchedGroup*)(memory + call.groups_at);
  TS_GLOBAL const struct TsSearchedRange* const ranges =
      (TS_GLOBAL const struct TsSearchedRange*)(memory + call.ranges_at);
  TS_GLOBAL TS_U32* const counts = (TS_GLOBAL TS_U32*)(memory + call.counts_at);
  TS_GLOBAL const TS_U64* const keys = (TS_GLOBAL const TS_U64*)(memory + call.keys_at);
  TS_GLOBAL const unsigned char* const data = memory + call.elements_at;
  TS_GLOBAL TS_U32* const listed = (TS_GLOBAL TS_U32*)(memory + call.list_at);
  TS_GLOBAL TS_U32* const list = (TS_GLOBAL TS_U32*)(memory + call.list_at + TS_LIST_BYTES);
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;

  for (TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD(); at < call.elements;
       at += threads) {
    const TS_U64 group_key = keys[at];
    const TS_U32 number = ts_find_group(groups, call.groups, group_key);
    const int is_searched = number < call.groups && groups[number].key == group_key;
    const TS_U64 key = ts_load_key(data, call.type, at);
    if (is_searched ? ts_is_left(&call, &groups[number], ranges, key)
                    : group_key >= call.first && group_key <= call.last) {
      list[TS_ATOMIC_ADD(listed, 1u)] = (TS_U32)at;
    } else if (is_searched && key - call.least <= call.greatest - call.least) {
      for (TS_U32 i = groups[number].first_range; i < groups[number].end_range; ++i) {
        TS_GLOBAL TS_U32* const of_range = counts + ranges[i].counts;
        if (key < ranges[i].low) {
          TS_ATOMIC_ADD(&of_range[0], 1u);
        } else if (key <= ranges[i].high) {
          TS_ATOMIC_ADD(&of_range[1 + ((key - ranges[i].low) >> ranges[i].shift)], 1u);
        }
      }
    }
  }
}
