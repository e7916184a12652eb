/* The kernels of arrays: row(name, arguments, blocks). A kernel is a row here, and its text,
 * ts_NAME, behind #if TS_HAS(NAME) in kernels/gpu/reduce_kernels.h or a file that this includes. It
 * takes the struct `arguments`, then the memory of a queue; reductions also take records or cells,
 * limbs for what is spilled, edges of bins or logarithms, and counts of bins. `blocks` is one of
 * Blocks in kernels/gpu/array_kernels.hpp. The first rows are those of each type, in the order of
 * base::ElementType. */
/* clang-format off */
#define TS_ARRAY_KERNELS(row)           \
  row(reduce_i8, TsReduce, resident)    \
  row(reduce_i16, TsReduce, resident)   \
  row(reduce_i32, TsReduce, resident)   \
  row(reduce_i64, TsReduce, resident)   \
  row(reduce_u8, TsReduce, resident)    \
  row(reduce_u16, TsReduce, resident)   \
  row(reduce_u32, TsReduce, resident)   \
  row(reduce_u64, TsReduce, resident)   \
  row(reduce_f16, TsReduce, resident)   \
  row(reduce_f32, TsReduce, resident)   \
  row(reduce_f64, TsReduce, resident)   \
  row(sum_f32, TsReduce, resident)      \
  row(sum_f64, TsReduce, resident)      \
  row(order_f32, TsReduce, resident)    \
  row(order_f64, TsReduce, resident)    \
  row(product, TsReduce, resident)      \
  row(dot_reals, TsReduce, resident)    \
  row(dot_integers, TsReduce, resident) \
  row(axis_reals, TsAxis, exact)        \
  row(axis_integers, TsAxis, exact)     \
  row(make, TsMake, filling)            \
  row(keys, TsKeys, filling)            \
  row(groups, TsGroups, filling)        \
  row(keep, TsKeep, filling)            \
  row(select, TsSelect, exact)          \
  row(list, TsSelect, exact)            \
  row(values, TsValues, exact)          \
  row(search, TsSearch, filling)
/* clang-format on */
