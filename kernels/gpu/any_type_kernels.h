/* Kernels for elements of any type, given at run time: the product of all elements, products of two
 * arrays, reductions along axes, order statistics, groups. Part of kernels/gpu/reduce_kernels.h. */

#if TS_HAS(product)
#include "kernels/gpu/product.h"
#define TS_NAME ts_product
#define TS_SUMS TsProduct
#define TS_START() ts_no_product()
#define TS_SUM_WORDS ts_product_words
#define TS_JOIN_SUMS ts_join_products
#define TS_KIND(k) (k)
#define TS_KINDS_HERE 3
#define TS_TAKE_AT(index) \
  ts_take_factor(&sums, ts_load_real(data, call.type, (index)), table, call.flags)
#include "kernels/gpu/element_kernel.h"
#endif

#if TS_HAS(dot_reals) || TS_HAS(dot_integers)
#include "kernels/gpu/pairs.h"
#endif

#if TS_HAS(dot_reals)
#define TS_NAME ts_dot_reals
#define TS_SUMS TsReals
#define TS_START() ts_start_reals()
#define TS_SUM_WORDS ts_real_words
#define TS_JOIN_SUMS ts_join_reals
#define TS_KIND(k) ((k) == 0 ? TS_SQUARES : TS_COUNTS)
#define TS_KINDS_HERE 2
#define TS_TAKE_AT(index) ts_take_pair(&sums, &counts, &spill, &call, data, (index))
#include "kernels/gpu/element_kernel.h"
#endif

#if TS_HAS(dot_integers)
#define TS_NAME ts_dot_integers
#define TS_SUMS TsIntegers
#define TS_START() ts_start_integers()
#define TS_SUM_WORDS ts_integer_words
#define TS_JOIN_SUMS ts_join_integers
#define TS_KIND(k) TS_SQUARES
#define TS_KINDS_HERE 1
#define TS_TAKE_AT(index) ts_take_integer_pair(&sums, &call, data, (index))
#include "kernels/gpu/element_kernel.h"
#endif

#undef TS_LANES
#undef TS_LANE
#undef TS_JOINS
#undef TS_EMIT

#if TS_HAS(axis_reals) || TS_HAS(axis_integers) || TS_HAS(keep)
#include "kernels/gpu/axis.h"
#define TS_COUNT_OUTPUT_BIN(x)                                                       \
  if (flags & TS_WANT_BINS) {                                                        \
    const TS_U32 bin =                                                               \
        ts_find_bin((x), call.low, call.high, call.bins_per_unit, call.bins, edges); \
    if (bin != TS_NO_BIN) TS_ATOMIC_ADD_64(&bins[bin], 1);                           \
  }
#endif

#if TS_HAS(axis_reals)
#define TS_NAME ts_axis_reals
#define TS_SUMS TsReals
#define TS_START() ts_start_reals()
#define TS_SUM_WORDS ts_real_words
#define TS_JOIN_SUMS ts_join_reals
#define TS_TAKE_AT(at, place)                                                                  \
  {                                                                                            \
    const double x = ts_load_real(data, call.type, (at));                                      \
    ts_take_real(&sums, &order, &counts, &spill, x, call.type != TS_TYPE_F64, (place), flags); \
    TS_COUNT_OUTPUT_BIN(x)                                                                     \
  }
#include "kernels/gpu/axis_kernel.h"
#endif

#if TS_HAS(axis_integers)
#define TS_NAME ts_axis_integers
#define TS_SUMS TsIntegers
#define TS_START() ts_start_integers()
#define TS_SUM_WORDS ts_integer_words
#define TS_JOIN_SUMS ts_join_integers
#define TS_TAKE_AT(at, place)                                              \
  {                                                                        \
    const TS_U64 x = ts_load_integer(data, call.type, (at));               \
    const int is_signed = call.type < TS_TYPE_U8;                          \
    ts_take_integer(&sums, &order, &counts, x, is_signed, (place), flags); \
    TS_COUNT_OUTPUT_BIN(is_signed ? (double)(TS_I64)x : (double)x)         \
  }
#include "kernels/gpu/axis_kernel.h"
#endif

#if TS_HAS(keys)
#include "kernels/gpu/keys.h"
#endif

#if TS_HAS(groups)
#include "kernels/gpu/groups.h"
#endif

#if TS_HAS(keep)
#include "kernels/gpu/keep.h"
#endif

#if TS_HAS(select) || TS_HAS(list)
#include "kernels/gpu/select.h"
#endif

#if TS_HAS(values)
#include "kernels/gpu/values.h"
#endif

#if TS_HAS(search)
#include "kernels/gpu/search.h"
#endif
