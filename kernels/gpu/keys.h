/* The kernel of order statistics: counts, bins and lists of keys, which are unsigned integers of an
 * element's own width that have the order of the elements
 * (src/statistics/order/element_key.hpp). Part of kernels/gpu/reduce_kernels.h. */

/* The counts of a thread. */
typedef struct {
  TS_U32 below, at_low, at_high;
} TsKeysFound;

/* Whether the key is in the range, for one that is collected between its ends. */
TS_FN int ts_is_requested(const struct TsKeys* call, TS_U64 key, TsKeysFound* found) {
  if (key - call->low > call->high - call->low) {
    if (key < call->low && key >= call->least) found->below += 1;
    return 0;
  }
  if (call->what == TS_KEYS_COUNTED) return 1;
  if (key == call->low) {
    found->at_low += 1;
  } else if (key == call->high) {
    found->at_high += 1;
  } else {
    return 1;
  }
  return 0;
}

/* -0.0 is as large as +0.0, and NaN are larger than all numbers. */
TS_FN int ts_is_large(const struct TsKeys* call, TS_U64 key) {
  if (key - call->least > call->greatest - call->least) return call->nans != 0;
  return key >= call->low || (key + 1 == call->zero && call->zero >= call->low);
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_keys(const struct TsKeys call, TS_GLOBAL unsigned char* memory) {
  TS_LOCAL TS_U32 block_bins[TS_BLOCK_BINS];
  TS_LOCAL TS_U32 block_counts[TS_KEYS_LISTED];
  TS_GLOBAL TS_U32* const counts = (TS_GLOBAL TS_U32*)(memory + call.to);
  TS_GLOBAL TS_U32* const bins = counts + TS_KEYS_COUNTS;
  TS_GLOBAL TS_U64* const list = (TS_GLOBAL TS_U64*)bins;
  const TS_U32 thread = TS_THREAD();
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  TsKeysFound found;
  found.below = found.at_low = found.at_high = 0;

  for (TS_U32 bin = thread; bin < TS_BLOCK_BINS; bin += TS_REDUCE_BLOCK) block_bins[bin] = 0;
  if (thread < TS_KEYS_LISTED) block_counts[thread] = 0;
  TS_BARRIER();
  for (TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + thread; at < call.elements;
       at += threads) {
    const TS_U64 key = ts_load_key(memory, call.type, at);
    if (call.what == TS_KEYS_LARGEST) {
      if (ts_is_large(&call, key)) {
        const TS_U64 place = TS_ATOMIC_ADD(&counts[TS_KEYS_LISTED], 1u);
        list[2 * place] = key;
        list[2 * place + 1] = at;
      }
    } else if (ts_is_requested(&call, key, &found)) {
      const TS_U32 bin = (TS_U32)((key - call.low) >> call.shift);
      if (call.what == TS_KEYS_COLLECTED) {
        list[TS_ATOMIC_ADD(&counts[TS_KEYS_LISTED], 1u)] = key;
      } else if (call.bins <= TS_BLOCK_BINS) {
        TS_COUNT_LOCAL(&block_bins[bin]);
      } else {
        TS_ATOMIC_ADD(&bins[bin], 1u);
      }
    }
  }
  if (found.below != 0) TS_ATOMIC_ADD(&block_counts[TS_KEYS_BELOW], found.below);
  if (found.at_low != 0) TS_ATOMIC_ADD(&block_counts[TS_KEYS_AT_LOW], found.at_low);
  if (found.at_high != 0) TS_ATOMIC_ADD(&block_counts[TS_KEYS_AT_HIGH], found.at_high);
  TS_BARRIER();
  if (thread < TS_KEYS_LISTED && block_counts[thread] != 0) {
    TS_ATOMIC_ADD(&counts[thread], block_counts[thread]);
  }
  if (call.bins <= TS_BLOCK_BINS) {
    for (TS_U32 bin = thread; bin < call.bins; bin += TS_REDUCE_BLOCK) {
      if (block_bins[bin] != 0) TS_ATOMIC_ADD(&bins[bin], block_bins[bin]);
    }
  }
}
