/* What a GPU is told of elements of an array in its memory and what it tells back, in the subset
 * that C++, CUDA C++ and OpenCL C share. The entry defines TS_U32 and TS_U64. Fields go from wide
 * to narrow, so that every compiler lays them out alike. */

#define TS_WANT_SUM 1u
#define TS_WANT_ABSOLUTE 2u /* the sum of |x| */
#define TS_WANT_SQUARES 4u
#define TS_WANT_EXTREMES 8u
#define TS_WANT_INDICES 16u /* where the extremes are, and the first NaN */
#define TS_WANT_NONZERO 32u
#define TS_WANT_BINS 64u /* a histogram */
#define TS_SKIP_NAN 128u /* NaN do not count as nonzero */

/* Types of elements, in the order of base::ElementType: i8 i16 i32 i64, those without a sign,
 * floats. */
#define TS_TYPE_U8 4u
#define TS_TYPE_F16 8u
#define TS_TYPE_F32 9u
#define TS_TYPE_F64 10u

struct TsReduce {
  TS_U64 elements;
  TS_U64 second;                   /* of two arrays: the byte at which the second one begins */
  double low, high, bins_per_unit; /* of the histogram */
  TS_U32 bins;
  TS_U32 flags;
  TS_U32 type, second_type; /* where they are not the kernel's own */
};

/* What a group of threads came to. Of floats a sum is the exact sum of four f64, given as their
 * bits, and of what was spilled; -0.0 in the first one, with zeros in the others, is the sum of
 * nothing or of -0.0 alone. Of integers it is 128 bits, low half first, and of their squares so is
 * the sum of the lower and, in the second half, that of the upper 64 bits of each.
 *
 * Of two arrays `squares` is of their products, in the same two ways; `nans` and infinities are
 * those among the products, and `nonzero` says how many of them count. Of a product of all elements
 * (kernels/exact/product.hpp) `sum` has the whole part of its logarithm and 128 bits of the
 * fraction, `absolute` 128 bits of the odd number, `squares` counts of NaN, infinities, zeros and
 * signs. */
struct TsReduced {
  TS_U64 sum[4], absolute[4], squares[4];
  TS_U64 least, greatest; /* keys, ordered as elements are: -0.0 before +0.0 */
  TS_U64 least_key, least_at, greatest_key, greatest_at; /* -0.0 as +0.0; the first of such */
  TS_U64 first_nan;
  TS_U32 nans, positive_infinities, negative_infinities;
  TS_U32 nonzero;
  TS_U32 spilled; /* not 0: some numbers were */
  TS_U32 round;   /* along axes: of what call of finish() this is, see TsAxis */
};

#define TS_NOWHERE 0xFFFFFFFFFFFFFFFFu

/* An array that is made: elements [first, first + count) of it. */
#define TS_MAKE_UNIFORM 0u
#define TS_MAKE_NORMAL 1u
#define TS_MAKE_SPACED 2u

struct TsMake {
  TS_U64 first, count;
  TS_U64 all; /* elements of the whole array */
  TS_U64 seed;
  double start, stop, step;
  TS_U32 what;
  TS_U32 element_bytes;
  TS_U32 is_float;  /* f4 and f8, otherwise bits */
  TS_U32 to_vector; /* where the first one goes, in TS_VECTOR_BYTES */
};

/* Tables of logarithms (kernels/exact/wide_log2.hpp): of each entry the factor and 128 bits, low
 * half first; those of the first, the second and the third step. */
#define TS_LOG_SECOND 128u
#define TS_LOG_THIRD 290u
#define TS_LOG_ENTRIES 422u
#define TS_LOG_WORDS 3u

#define TS_REDUCE_GROUP 256u
/* Elements are read 16 bytes at a time, so that many are behind them in memory, of any value. */
#define TS_VECTOR_BYTES 16u
/* Bins that a group counts in memory of its own. */
#define TS_GROUP_BINS 2048u
/* A launch has no more elements: counts of a group have 32 bits, and a spilled sum room for 2^31
 * numbers. */
#define TS_MOST_ELEMENTS 0x40000000u

/* What four f64 do not hold is spilled: added to fixed-point numbers of overlapping limbs, those of
 * kernels/exact/superaccumulator.hpp. Groups spill to different slots, to keep out of each other's
 * way.
 */
#define TS_SPILL_SLOTS 32u
#define TS_SUM_LIMBS 70u
#define TS_SQUARES_LIMBS 136u
#define TS_SUM_SPILL 0u /* first limb */
#define TS_ABSOLUTE_SPILL 70u
#define TS_SQUARES_SPILL 140u
#define TS_SLOT_LIMBS 276u
/* Bit of the limbs that counts 2^0. */
#define TS_SUM_UNIT 1088
#define TS_SQUARES_UNIT 2176
