/* The kernels of kernels/gpu_reduce.h: one for each type of element, and for sums of f32 and f64
 * alone a faster one. And the kernel that makes arrays. An entry that defines TS_KERNEL_NUMBER gets
 * only that one; they are numbered as in kernels/reduce.hpp. */

#ifdef TS_KERNEL_NUMBER
#define TS_HAS(number) (TS_KERNEL_NUMBER == (number))
#else
#define TS_HAS(number) 1
#endif

#define TS_PER_WORD (8 / TS_ELEMENT_BYTES)
#define TS_PER_VECTOR (TS_VECTOR_BYTES / TS_ELEMENT_BYTES)

#define TS_TAKE_WORD(word, first)                          \
  {                                                        \
    TS_U64 left = (word);                                  \
    TS_UNROLLED for (TS_U32 k = 0; k < TS_PER_WORD; ++k) { \
      TS_TAKE(left, (first) + k);                          \
      left >>= 8 * TS_ELEMENT_BYTES % 64;                  \
    }                                                      \
  }
#define TS_TAKE_PAIR(pair, vector)               \
  {                                              \
    const TS_U64 first = (vector)*TS_PER_VECTOR; \
    TS_TAKE_WORD((pair).x, first)                \
    TS_TAKE_WORD((pair).y, first + TS_PER_WORD)  \
  }

#define TS_COUNT_BIN(x)                                     \
  if (flags & TS_WANT_BINS) {                               \
    ts_take_bin((x), &call, edges, group_bins, bin_counts); \
  }

#define TS_SUMS TsReals
#define TS_START() ts_start_reals()
#define TS_SUM_WORDS ts_real_words
#define TS_JOIN_SUMS ts_join_reals

/* Sums alone: no code but theirs in the loop. */
#define TS_WHAT (TS_WANT_SUM | (call.flags & TS_SKIP_NAN))
#define TS_AHEAD 4
#define TS_BINS_HERE 1
#define TS_KIND(k) ((k) == 0 ? TS_FIRST_SUM : TS_COUNTS)
#define TS_KINDS_HERE 2
#define TS_TAKE(bits, index) \
  ts_take_real(&sums, &order, &counts, &spill, TS_WIDEN(bits), TS_SHORT, (index), flags)

#if TS_HAS(11)
#define TS_NAME ts_sum_f32
#define TS_ELEMENT_BYTES 4
#define TS_WIDEN(bits) TS_WIDEN_F32((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(12)
#define TS_NAME ts_sum_f64
#define TS_ELEMENT_BYTES 8
#define TS_WIDEN(bits) ts_from_bits(bits)
#define TS_SHORT 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#undef TS_WHAT
#undef TS_AHEAD
#undef TS_BINS_HERE
#undef TS_KIND
#undef TS_KINDS_HERE
#undef TS_TAKE

/* All that can be wanted. */
#define TS_WHAT call.flags
#define TS_AHEAD 1
#define TS_BINS_HERE TS_GROUP_BINS
#define TS_KIND(k) (k)
#define TS_KINDS_HERE TS_KINDS
#define TS_TAKE(bits, index)                                                   \
  {                                                                            \
    const double x = TS_WIDEN(bits);                                           \
    ts_take_real(&sums, &order, &counts, &spill, x, TS_SHORT, (index), flags); \
    TS_COUNT_BIN(x)                                                            \
  }

#if TS_HAS(8)
#define TS_NAME ts_reduce_f16
#define TS_ELEMENT_BYTES 2
#define TS_WIDEN(bits) ts_widen_f16((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(9)
#define TS_NAME ts_reduce_f32
#define TS_ELEMENT_BYTES 4
#define TS_WIDEN(bits) TS_WIDEN_F32((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(10)
#define TS_NAME ts_reduce_f64
#define TS_ELEMENT_BYTES 8
#define TS_WIDEN(bits) ts_from_bits(bits)
#define TS_SHORT 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#undef TS_TAKE
#undef TS_SUMS
#undef TS_START
#undef TS_SUM_WORDS
#undef TS_JOIN_SUMS

#define TS_SUMS TsIntegers
#define TS_START() ts_start_integers()
#define TS_SUM_WORDS ts_integer_words
#define TS_JOIN_SUMS ts_join_integers
#define TS_TAKE(bits, index)                                               \
  {                                                                        \
    const TS_U64 x = TS_EXTEND(bits);                                      \
    ts_take_integer(&sums, &order, &counts, x, TS_SIGNED, (index), flags); \
    TS_COUNT_BIN(TS_SIGNED ? (double)(TS_I64)x : (double)x)                \
  }
#define TS_EXTEND_SIGNED(bits, unused_bits) \
  ((TS_U64)((TS_I64)((TS_U64)(bits) << (unused_bits)) >> (unused_bits)))
#define TS_EXTEND_UNSIGNED(bits, unused_bits) ((TS_U64)(bits) << (unused_bits) >> (unused_bits))

#if TS_HAS(0)
#define TS_NAME ts_reduce_i8
#define TS_ELEMENT_BYTES 1
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 56)
#define TS_SIGNED 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(1)
#define TS_NAME ts_reduce_i16
#define TS_ELEMENT_BYTES 2
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 48)
#define TS_SIGNED 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(2)
#define TS_NAME ts_reduce_i32
#define TS_ELEMENT_BYTES 4
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 32)
#define TS_SIGNED 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(3)
#define TS_NAME ts_reduce_i64
#define TS_ELEMENT_BYTES 8
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 0)
#define TS_SIGNED 1
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(4)
#define TS_NAME ts_reduce_u8
#define TS_ELEMENT_BYTES 1
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 56)
#define TS_SIGNED 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(5)
#define TS_NAME ts_reduce_u16
#define TS_ELEMENT_BYTES 2
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 48)
#define TS_SIGNED 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(6)
#define TS_NAME ts_reduce_u32
#define TS_ELEMENT_BYTES 4
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 32)
#define TS_SIGNED 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(7)
#define TS_NAME ts_reduce_u64
#define TS_ELEMENT_BYTES 8
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 0)
#define TS_SIGNED 0
#include "kernels/gpu_reduce_kernel.h"
#endif

#if TS_HAS(13)
/* The bits of an element of an array that is made, in their lowest part. */
TS_FN TS_U64 ts_made_bits(const struct TsMake* make, TS_U64 bits, double x) {
  if (make->what == TS_MAKE_UNIFORM) {
    if (!make->is_float) return bits >> (64 - 8 * make->element_bytes);
    if (make->element_bytes == 4) return TS_FLOAT_BITS(ts_uniform_f32(bits));
    return ts_to_bits(ts_uniform_f64(bits));
  }
  return make->element_bytes == 4 ? TS_FLOAT_BITS((float)x) : ts_to_bits(x);
}

TS_FN void ts_store_made(const struct TsMake* make, TS_GLOBAL unsigned char* out, TS_U64 index,
                         TS_U64 element) {
  TS_U64 place;
  if (index < make->first || index - make->first >= make->count) return;
  place = index - make->first;
  if (make->element_bytes == 8) {
    ((TS_GLOBAL TS_U64*)out)[place] = element;
  } else if (make->element_bytes == 4) {
    ((TS_GLOBAL TS_U32*)out)[place] = (TS_U32)element;
  } else if (make->element_bytes == 2) {
    ((TS_GLOBAL unsigned short*)out)[place] = (unsigned short)element;
  } else {
    out[place] = (unsigned char)element;
  }
}

/* Two elements at a time, which random numbers are made in. */
TS_KERNEL_OF(TS_REDUCE_GROUP)
void ts_make(const struct TsMake make, TS_GLOBAL unsigned char* out) {
  const TS_U64 threads = (TS_U64)TS_GROUPS() * TS_REDUCE_GROUP;
  const TS_U64 end = (make.first + make.count + 1) / 2;
  TS_U64 number = make.first / 2 + (TS_U64)TS_GROUP() * TS_REDUCE_GROUP + TS_THREAD();
  for (; number < end; number += threads) {
    TsNormalPair pair;
    TsRandomBlock block;
    pair.value[0] = pair.value[1] = 0.0;
    block.bits[0] = block.bits[1] = 0;
    if (make.what == TS_MAKE_UNIFORM) {
      block = ts_random_block(number, TS_UNIFORM_STREAM, make.seed);
    } else if (make.what == TS_MAKE_NORMAL) {
      pair = ts_normal_pair(number, make.seed);
    } else {
      pair.value[0] = ts_spaced(2 * number, make.all, make.start, make.stop, make.step);
      pair.value[1] = ts_spaced(2 * number + 1, make.all, make.start, make.stop, make.step);
    }
    ts_store_made(&make, out, 2 * number, ts_made_bits(&make, block.bits[0], pair.value[0]));
    ts_store_made(&make, out, 2 * number + 1, ts_made_bits(&make, block.bits[1], pair.value[1]));
  }
}
#endif
