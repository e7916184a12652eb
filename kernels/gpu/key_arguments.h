/* The arguments and results of launches that look at the keys of elements (kernels/gpu/keys.h,
 * kernels/gpu/select.h, kernels/gpu/values.h), in the subset that C++, CUDA C++ and OpenCL C share.
 * See also kernels/gpu/reduce_arguments.h and kernels/gpu/axis_arguments.h. */

#define TS_KEYS_COUNTED 0u   /* in bins of 2^shift keys */
#define TS_KEYS_COLLECTED 1u /* a list of the keys between the ends of a range */
#define TS_KEYS_LARGEST 2u   /* a list of keys from `low` on, each with its index */

/* The range is from `low` to `high`. Keys of numbers are from `least` to `greatest`; the others are
 * those of NaN. */
struct TsKeys {
  TS_U64 elements;
  TS_U64 low, high, least, greatest;
  TS_U64 zero; /* the key of +0.0, or 0 for integers */
  TS_U64 to;   /* where the results are, a multiple of 8 bytes */
  TS_U32 type, what;
  TS_U32 shift, bins;
  TS_U32 nans; /* whether NaN are listed among the largest */
  TS_U32 unused;
};

/* The results: counts of numbers below the range and at its ends, and the length of the list. Then
 * follows a count of 32 bits for each bin, or the list, of 64 bits each. All are 0 before. */
#define TS_KEYS_BELOW 0u
#define TS_KEYS_AT_LOW 1u
#define TS_KEYS_AT_HIGH 2u
#define TS_KEYS_LISTED 3u
#define TS_KEYS_COUNTS 4u

/* Puts elements, which begin with the memory, where those of their outputs are kept: element
 * `index` of an output at output * elements_each + index, in elements from byte `to` on. */
struct TsKeep {
  struct TsAxis axis;
  TS_U64 elements_each, to;
};

/* Threads add up counts of so many values each before one of them looks for a rank. */
// crossed by: axis_order_parity_test.of_every_type,
// axis_order_parity_test.of_many_ties_and_signed_zeros
#define TS_SELECT_PART 16u

/* A block searches one output. The elements begin at byte elements_at. The search is for
 * the element with the output's rank (32 bits each, at byte ranks_at). If `largest` is not 0, it is
 * for the least of the `largest` greatest elements; NaN counts as one if `nans`. Keys are those of
 * TsKeys and have `bits` bits. The search reads their upper searched_bits. It writes a TsSelected
 * for each output at byte `to`. A second launch lists the greatest elements at byte list_at:
 * `largest` pairs of 64 bits for each output, a key and its index. Of equal keys, the first
 * indices are listed. */
struct TsSelect {
  TS_U64 elements_at, elements_each;
  TS_U64 ranks_at, to, list_at;
  TS_U64 least, greatest, zero;
  TS_U32 outputs;
  TS_U32 type, bits, searched_bits;
  TS_U32 largest, nans;
};

/* `all` elements take part: `below` ones come before `order`, `equal` ones have it, and
 * `next` is the least order behind it, or TS_NOWHERE. */
struct TsSelected {
  TS_U64 order, next;
  TS_U32 below, equal, all, unused;
};

#define TS_VALUES_COUNTED 0u /* adds elements to tables, which were 0 */
#define TS_VALUES_LISTED 1u  /* a list of the values of a table, and of their counts */
#define TS_VALUES_FOUND 2u   /* a TsMode of each table, by one block each */

/* Table t of `slots` slots has elements_each elements behind those of the tables before it;
 * `splits` blocks look at them. Keys from `least` to `greatest` count. There are more
 * slots than values. Results are at byte `to`: TsModes, or a list of pairs of 64 bits as that of
 * TS_KEYS_LARGEST. */
struct TsValues {
  TS_U64 elements_at, elements_each;
  TS_U64 tables_at, to;
  TS_U64 least, greatest;
  TS_U32 slots, tables, splits;
  TS_U32 type, what;
  TS_U32 unused;
};

/* How many elements have the value of one of them: that with the index `element` - 1. */
struct TsValueSlot {
  TS_U32 element, count;
};

/* The least of the most frequent values, how often it occurs, and how many values there are. */
struct TsMode {
  TS_U64 key;
  TS_U32 count, distinct;
};
