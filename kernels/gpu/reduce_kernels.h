/* The kernels of kernels/gpu/reduce.h: one for each element type, faster ones for a sum alone of
 * f32 or f64, and the kernel that generates arrays. An entry gets the kernels NAME for which it
 * defines TS_ONLY_NAME as 1, or all if it defines TS_ALL_KERNELS; kernels/gpu/array_kernels.h lists
 * the names. */

#ifdef TS_ALL_KERNELS
#define TS_HAS(name) 1
#else
#define TS_HAS(name) TS_ONLY_##name
#endif

#define TS_PER_WORD (8 / TS_ELEMENT_BYTES)
#define TS_PER_VECTOR (TS_VECTOR_BYTES / TS_ELEMENT_BYTES)

#define TS_COUNT_BIN(x, flags)                              \
  if ((flags)&TS_WANT_BINS) {                               \
    ts_take_bin((x), &call, edges, block_bins, bin_counts); \
  }

/* All threads of a block merge their results into its record. */
#define TS_LANES TS_REDUCE_BLOCK
#define TS_LANE thread
#define TS_JOINS 9
#define TS_EMIT(kind, words) ts_tell(&records[TS_BLOCK()], (kind), (words))

#define TS_SUMS TsReals
#define TS_START() ts_start_reals()
#define TS_SUM_WORDS ts_real_words
#define TS_JOIN_SUMS ts_join_reals

/* Sums alone. */
#define TS_KIND(k) ((k) == 0 ? TS_FIRST_SUM : TS_COUNTS)
#define TS_KINDS_HERE 2

#include "kernels/gpu/vectors.h"

#if TS_HAS(sum_f32)
#include "kernels/gpu/sum_f32.h"
#endif

#if TS_HAS(sum_f64)
#include "kernels/gpu/sum_f64.h"
#endif

#undef TS_KIND
#undef TS_KINDS_HERE

/* Element number k of a vector whose first one has index `first`. */
#define TS_TAKE_ONE(v, first, k, flags)                                                        \
  TS_TAKE(((k) < TS_PER_WORD ? (v).x : (v).y) >> (8 * TS_ELEMENT_BYTES * ((k) % TS_PER_WORD)), \
          (first) + (k), flags)
/* The last vector may be incomplete. */
#define TS_TAKE_VECTORS(flags)                                                \
  for (; at * TS_PER_VECTOR < call.elements; at += threads) {                 \
    const TS_PAIR v = TS_LOAD(data + at);                                     \
    const TS_U64 first = at * TS_PER_VECTOR;                                  \
    const TS_U64 left = call.elements - first;                                \
    const TS_U32 count = left < TS_PER_VECTOR ? (TS_U32)left : TS_PER_VECTOR; \
    TS_ROLLED for (TS_U32 k = 0; k < count; ++k) {                            \
      TS_TAKE_ONE(v, first, k, flags)                                         \
    }                                                                         \
  }
/* With four loads in flight. For flags that are constants: few registers are needed then. */
#define TS_TAKE_FOUR(flags)                                       \
  {                                                               \
    const TS_U64 whole = call.elements / TS_PER_VECTOR;           \
    for (; at + 3 * threads < whole; at += 4 * threads) {         \
      TsVectors four = ts_load_four(data, at, threads, whole, 0); \
      TS_ROLLED for (TS_U32 i = 0; i < 4; ++i) {                  \
        const TS_U64 first = (at + i * threads) * TS_PER_VECTOR;  \
        for (TS_U32 k = 0; k < TS_PER_VECTOR; ++k) {              \
          TS_TAKE_ONE(four.a, first, k, flags)                    \
        }                                                         \
        four.a = four.b;                                          \
        four.b = four.c;                                          \
        four.c = four.d;                                          \
      }                                                           \
    }                                                             \
    TS_TAKE_VECTORS(flags)                                        \
  }

/* Everything that can be requested. */
#define TS_KIND(k) (k)
#define TS_KINDS_HERE TS_KINDS
#define TS_TAKE(bits, index, flags)                                              \
  {                                                                              \
    const double x = TS_WIDEN(bits);                                             \
    ts_take_real(&sums, &order, &counts, &spill, x, TS_SHORT, (index), (flags)); \
    TS_COUNT_BIN(x, flags)                                                       \
  }
#define TS_TAKE_ALL TS_TAKE_VECTORS(flags)

#if TS_HAS(reduce_f16)
#define TS_NAME ts_reduce_f16
#define TS_ELEMENT_BYTES 2
#define TS_WIDEN(bits) ts_widen_f16((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_f32)
#define TS_NAME ts_reduce_f32
#define TS_ELEMENT_BYTES 4
#define TS_WIDEN(bits) TS_WIDEN_F32((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_f64)
#define TS_NAME ts_reduce_f64
#define TS_ELEMENT_BYTES 8
#define TS_WIDEN(bits) ts_from_bits(bits)
#define TS_SHORT 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#undef TS_TAKE_ALL

/* Extremes, or their indices, or both, and nothing else. */
#define TS_TAKE_ALL                                    \
  if (flags == TS_WANT_EXTREMES) {                     \
    TS_TAKE_FOUR(TS_WANT_EXTREMES)                     \
  } else if (flags == TS_WANT_INDICES) {               \
    TS_TAKE_FOUR(TS_WANT_INDICES)                      \
  } else {                                             \
    TS_TAKE_FOUR((TS_WANT_EXTREMES | TS_WANT_INDICES)) \
  }

#if TS_HAS(order_f32)
#define TS_NAME ts_order_f32
#define TS_ELEMENT_BYTES 4
#define TS_WIDEN(bits) TS_WIDEN_F32((TS_U32)(bits))
#define TS_SHORT 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(order_f64)
#define TS_NAME ts_order_f64
#define TS_ELEMENT_BYTES 8
#define TS_WIDEN(bits) ts_from_bits(bits)
#define TS_SHORT 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#undef TS_TAKE
#undef TS_TAKE_ALL
#undef TS_SUMS
#undef TS_START
#undef TS_SUM_WORDS
#undef TS_JOIN_SUMS

#define TS_SUMS TsIntegers
#define TS_START() ts_start_integers()
#define TS_SUM_WORDS ts_integer_words
#define TS_JOIN_SUMS ts_join_integers
#define TS_TAKE(bits, index, flags)                                          \
  {                                                                          \
    const TS_U64 x = TS_EXTEND(bits);                                        \
    ts_take_integer(&sums, &order, &counts, x, TS_SIGNED, (index), (flags)); \
    TS_COUNT_BIN(TS_SIGNED ? (double)(TS_I64)x : (double)x, flags)           \
  }
#define TS_TAKE_ALL                       \
  if (flags == TS_WANT_SUM) {             \
    TS_TAKE_FOUR(TS_WANT_SUM)             \
  } else if (flags == TS_WANT_EXTREMES) { \
    TS_TAKE_FOUR(TS_WANT_EXTREMES)        \
  } else if (flags == TS_WANT_INDICES) {  \
    TS_TAKE_FOUR(TS_WANT_INDICES)         \
  } else {                                \
    TS_TAKE_VECTORS(flags)                \
  }

#if TS_HAS(reduce_i8)
#define TS_NAME ts_reduce_i8
#define TS_ELEMENT_BYTES 1
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 56)
#define TS_SIGNED 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_i16)
#define TS_NAME ts_reduce_i16
#define TS_ELEMENT_BYTES 2
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 48)
#define TS_SIGNED 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_i32)
#define TS_NAME ts_reduce_i32
#define TS_ELEMENT_BYTES 4
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 32)
#define TS_SIGNED 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_i64)
#define TS_NAME ts_reduce_i64
#define TS_ELEMENT_BYTES 8
#define TS_EXTEND(bits) TS_EXTEND_SIGNED(bits, 0)
#define TS_SIGNED 1
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_u8)
#define TS_NAME ts_reduce_u8
#define TS_ELEMENT_BYTES 1
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 56)
#define TS_SIGNED 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_u16)
#define TS_NAME ts_reduce_u16
#define TS_ELEMENT_BYTES 2
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 48)
#define TS_SIGNED 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_u32)
#define TS_NAME ts_reduce_u32
#define TS_ELEMENT_BYTES 4
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 32)
#define TS_SIGNED 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#if TS_HAS(reduce_u64)
#define TS_NAME ts_reduce_u64
#define TS_ELEMENT_BYTES 8
#define TS_EXTEND(bits) TS_EXTEND_UNSIGNED(bits, 0)
#define TS_SIGNED 0
#include "kernels/gpu/reduce_kernel.h"
#endif

#undef TS_TAKE
#undef TS_TAKE_ALL
#undef TS_SUMS
#undef TS_START
#undef TS_SUM_WORDS
#undef TS_JOIN_SUMS
#undef TS_KIND
#undef TS_KINDS_HERE

#if TS_HAS(make)
#include "kernels/gpu/make.h"
#endif

#include "kernels/gpu/any_type_kernels.h"
