/* The arguments of a launch that reduces groups (kernels/gpu/groups.h), and the cells in which a
 * group's results are added up, in the subset that C++, CUDA C++ and OpenCL C share. See also
 * kernels/gpu/reduce_arguments.h. */

/* The first launch counts, adds, and finds the upper half of the extreme keys. The next ones find
 * what follows it of those that have it: the lower half of the key, then both halves of the place.
 * The last one compares with earlier elements. */
#define TS_GROUPS_SUMS 0u
#define TS_GROUPS_PLACES 2u
#define TS_GROUPS_KEEP 4u

/* Offsets are bytes of the memory, multiples of 8. The first TS_U32 of the memory counts terms
 * outside of the window of sums: exponent fields from window_first on, window_count of them. A
 * group has `copies` cells of `cell_words` TS_U32, so that equal neighbours do not wait for each
 * other. A part of a cell that is not requested is not there. The last launch counts cells as its
 * elements. */
struct TsGroups {
  TS_U64 elements;
  TS_U64 groups_at, elements_at, places_at; /* by element: a TS_U32, the element, a TS_U64 */
  TS_U64 cells_at;
  TS_U32 type, flags, phase;
  TS_U32 copies, cell_words;
  TS_U32 sum_word, absolute_word, squares_word, order_word; /* where they are in a cell */
  TS_U32 window_first, window_count;
  TS_U32 unused;
};

/* A cell begins with counts. */
#define TS_CELL_ELEMENTS 0u
#define TS_CELL_NANS 1u
#define TS_CELL_POSITIVE_INFINITIES 2u
#define TS_CELL_NEGATIVE_INFINITIES 3u
#define TS_CELL_POSITIVE_ZEROS 4u
#define TS_CELL_NEGATIVE_ZEROS 5u
#define TS_CELL_NONZERO 6u
#define TS_CELL_COUNTS 8u
/* Sums are limbs of 64 bits, limb i in units of 2^(32 i) of the window's unit; squares in units of
 * that squared. */
#define TS_CELL_LIMBS 4u
#define TS_CELL_SQUARE_LIMBS 8u
/* Four words each, the most significant one first, of what is the largest: the inverted key of an
 * element and its inverted place, its key and its inverted place, 0 and the inverted place of a
 * NaN. Those of a launch precede those of all launches before. -0.0 has the key of +0.0. */
#define TS_CELL_LEAST 0u
#define TS_CELL_GREATEST 8u
#define TS_CELL_FIRST_NAN 16u
#define TS_CELL_ORDER 24u
#define TS_CELL_KEPT 4u /* from words of a launch to those of all before */

/* A large group whose order statistics are searched: its ranges of keys, and which of its elements
 * are left to the host. */
#define TS_LEAVES_TOP 1u /* those from top_from on, in the order where -0.0 is +0.0 */
#define TS_LEAVES_NANS 2u
struct TsSearchedGroup {
  TS_U64 key;
  TS_U64 top_from;
  TS_U32 first_range, end_range;
  TS_U32 flags, unused;
};

/* Elements from `low` to `high` are counted in bins of 2^shift keys, or left to the host. The
 * counts begin at number `counts`: of elements below the range, then of the bins. */
#define TS_RANGE_LEFT 64u /* instead of a shift */
struct TsSearchedRange {
  TS_U64 low, high;
  TS_U32 shift, counts;
};

/* The arguments of a launch that counts elements for the search in groups (kernels/gpu/search.h).
 * Offsets are bytes of the memory. Elements that are left are not counted, but listed: a TS_U32 at
 * byte list_at says how many, and their numbers begin TS_LIST_BYTES behind it. So are all elements
 * of groups from `first` to `last` that are not among the searched ones, which are sorted. */
#define TS_LIST_BYTES 16u
struct TsSearch {
  TS_U64 elements;
  TS_U64 first, last;
  TS_U64 least, greatest, zero; /* as those of TsKeys */
  TS_U64 groups_at, ranges_at, counts_at;
  TS_U64 keys_at, elements_at, list_at; /* by element: the key of its group, 64 bits; itself */
  TS_U32 groups, type;
};
