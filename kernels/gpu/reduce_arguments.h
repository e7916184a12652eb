/* The arguments and results of a GPU's reduction of elements in its memory, in the subset that C++,
 * CUDA C++ and OpenCL C share. The entry defines TS_U32 and TS_U64. Wide fields precede narrow
 * ones, so that every compiler uses the same layout. */

#define TS_WANT_SUM 1u
#define TS_WANT_ABSOLUTE 2u /* the sum of |x| */
#define TS_WANT_SQUARES 4u
#define TS_WANT_EXTREMES 8u
#define TS_WANT_INDICES 16u /* indices of the extremes and of the first NaN */
#define TS_WANT_NONZERO 32u
#define TS_WANT_BINS 64u /* a histogram */
#define TS_SKIP_NAN 128u /* NaN do not count as nonzero */

/* Element types in the order of base::ElementType: i8 i16 i32 i64, the unsigned ones,
 * floating-point. */
#define TS_TYPE_U8 4u
#define TS_TYPE_F16 8u
#define TS_TYPE_F32 9u
#define TS_TYPE_F64 10u

struct TsReduce {
  TS_U64 elements;
  TS_U64 second;                   /* of two arrays: byte offset of the second one */
  double low, high, bins_per_unit; /* of the histogram */
  TS_U32 bins;
  TS_U32 flags;
  TS_U32 type, second_type; /* for kernels without a fixed type */
};

/* The result of a block. For floating-point elements, a sum is the exact sum of four
 * f64, given as bits, and of the spilled numbers. -0.0 in the first word and zeros in the others
 * mean no terms, or only -0.0. For integers, a sum has 128 bits, low half first. For their squares,
 * the first two words are the sum of the lower 64 bits of each square, the last two that of the
 * upper 64 bits.
 *
 * For two arrays, `squares` holds the sum of their products, in the same two formats; `nans` and
 * the infinities are counted among the products; `nonzero` is the number of products that are
 * included. For a product of all elements (kernels/exact/product.hpp), `sum` holds the whole part
 * of its logarithm and 128 bits of the fraction, `absolute` 128 bits of the odd number, and
 * `squares` the counts of NaN, infinities, zeros and signs. */
struct TsReduced {
  TS_U64 sum[4], absolute[4], squares[4];
  TS_U64 least, greatest; /* keys, in the order of the elements, with -0.0 before +0.0 */
  TS_U64 min_key, least_at, greatest_key, greatest_at; /* -0.0 as +0.0; the lowest index */
  TS_U64 first_nan;
  TS_U32 nans, positive_infinities, negative_infinities;
  TS_U32 nonzero;
  TS_U32 spilled; /* not 0 if numbers were spilled */
  TS_U32 round;   /* along axes: the round in which it was last written, see TsAxis */
};

#define TS_NOWHERE 0xFFFFFFFFFFFFFFFFu

/* A generated array: elements [first, first + count) of it. */
#define TS_MAKE_UNIFORM 0u
#define TS_MAKE_NORMAL 1u
#define TS_MAKE_SPACED 2u

struct TsMake {
  TS_U64 first, count;
  TS_U64 all; /* number of elements of the whole array */
  TS_U64 seed;
  double start, stop, step;
  TS_U32 what;
  TS_U32 element_bytes;
  TS_U32 is_float;  /* f4 or f8; otherwise integers */
  TS_U32 to_vector; /* where the first element goes, in units of TS_VECTOR_BYTES */
};

/* Tables of logarithms (kernels/exact/wide_log2.hpp): an entry is the factor and 128 bits of its
 * logarithm, low half first. The entries of the first step precede those of the second and of the
 * third. */
#define TS_LOG_SECOND 128u
#define TS_LOG_THIRD 290u
#define TS_LOG_ENTRIES 422u
#define TS_LOG_WORDS 3u

// crossed by: reduction_parity_test.of_any_bits_of_every_type, of_vectors_of_extremes
#define TS_REDUCE_BLOCK 256u
/* Elements are read 16 bytes at a time, so this many bytes of any value must follow them in
 * memory. */
// crossed by: reduction_parity_test.of_any_bits_of_every_type, of_vectors_of_extremes
#define TS_VECTOR_BYTES 16u
/* Most bins that a block counts in its own memory. */
// crossed by: of_tables_of_bins, of_counts_of_a_bin
#define TS_BLOCK_BINS 2048u
/* Shared memory of the kernels for sums alone. */
#define TS_SUM_BLOCK_BYTES 36864u
/* Most elements of a launch: counts of a block have 32 bits, and spilled sums room for 2^31
 * numbers. */
// not crossed: 2^29 elements take too long
#define TS_MOST_ELEMENTS 0x40000000u

/* The rest that four f64 cannot hold is spilled: added to fixed-point numbers of overlapping limbs,
 * as in kernels/exact/superaccumulator.hpp. Blocks spill to different slots to avoid contention. */
// crossed by: what_was_spilled_is_added_slot_by_slot
#define TS_SPILL_SLOTS 32u
#define TS_SUM_LIMBS 70u
#define TS_SQUARES_LIMBS 136u
#define TS_SUM_SPILL 0u /* number of the first limb */
#define TS_ABSOLUTE_SPILL 70u
#define TS_SQUARES_SPILL 140u
#define TS_SLOT_LIMBS 276u
/* The bit of the limbs that has weight 2^0. */
#define TS_SUM_UNIT 1088
#define TS_SQUARES_UNIT 2176
