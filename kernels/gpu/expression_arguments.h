/* An expression of arrays as a list of steps, and the arguments of a launch that evaluates it, in
 * the subset that C++, CUDA C++ and OpenCL C share. See also kernels/gpu/reduce_arguments.h. */

#include "kernels/functions/list.h"

/* The operations of one, two and three arguments. src/expression/arithmetic.hpp defines them, and
 * kernels/gpu/expression.h computes them as ts_on_NAME(). The functions of
 * kernels/functions/list.h are operations, too. */
#define TS_OPERATIONS(one, two, three)                                                           \
  one(widen_half) one(narrow_half) one(round_half) one(negate) one(absolute) one(sign)           \
      one(complement) one(square_root) one(floor) one(ceil) one(rint) one(is_nan) one(is_finite) \
          two(add) two(subtract) two(multiply) two(divide) two(floor_divide) two(modulo)         \
              two(power) two(minimum) two(maximum) two(less) two(less_equal) two(equal)          \
                  two(not_equal) two(bit_and) two(bit_or) three(fused_multiply_add) three(select)

#define TS_NUMBER_OF(name) TS_ON_##name,
#define TS_NUMBER_OF_FUNCTION(name, Name) TS_ON_##name,
enum TsOperation {
  TS_ON_load, /* of an input array */
  TS_ON_constant,
  TS_ON_cast,
  TS_OPERATIONS(TS_NUMBER_OF, TS_NUMBER_OF, TS_NUMBER_OF)
      TS_FUNCTIONS(TS_NUMBER_OF_FUNCTION, TS_NUMBER_OF_FUNCTION) TS_ON_NOTHING
};

/* A value in a register is an integer, extended to 64 bits with its sign, or the bits of an f64. An
 * f32, or an f16 while it is computed with, is the f64 of the same value. */
struct TsStep {
  TS_U64 value; /* of a constant, or the number of an input array */
  TS_U32 operation;
  TS_U32 type;    /* of the last argument; of an input array or a constant, its own */
  TS_U32 to;      /* of the result */
  TS_U32 result;  /* a register; so are the arguments */
  TS_U32 x, y, z; /* 0 if the operation has fewer arguments */
  TS_U32 unused;
};

/* Most steps, registers and arrays of an expression that a device evaluates. A compiler of OpenCL
 * takes some milliseconds for each step. */
// crossed by: are_at_most_so_many
#define TS_MAP_STEPS 256u
// crossed by: have_at_most_so_many_registers
#define TS_MAP_REGISTERS 32u
// crossed by: load_at_most_so_many_arrays
#define TS_MAP_ARRAYS 16u
/* Most expressions that are evaluated together. */
// crossed by: compute_once_what_several_expressions_have_in_common
#define TS_MAP_RESULTS 8u

struct TsMapResult {
  TS_U64 to; /* byte offset of the elements in memory */
  TS_U32 type;
  TS_U32 value; /* their register */
};

struct TsMap {
  TS_U64 elements;
  TS_U64 arrays[TS_MAP_ARRAYS]; /* byte offset of each array, or its first number if it counts */
  struct TsMapResult results[TS_MAP_RESULTS];
  TS_U32 counts; /* bit k: array k is the numbers from its first one on, as i64 */
  TS_U32 steps, result_count;
  TS_U32 unused;
};
