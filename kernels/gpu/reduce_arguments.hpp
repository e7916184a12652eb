// kernels/gpu/reduce_arguments.h for C++.
#pragma once

#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

#include "kernels/gpu/axis_arguments.h"
#include "kernels/gpu/group_arguments.h"
#include "kernels/gpu/key_arguments.h"
#include "kernels/gpu/reduce_arguments.h"

/// The kernels of kernels/gpu/reduce_kernels.h by number. The first ones are those for each type,
/// in the order of base::ElementType.
enum class ReduceKernel {
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64,
  sum_f32,
  sum_f64,
  make,
  product,    ///< of an array of any type; so are the next two
  dot_reals,  ///< of two arrays, at least one of them floating-point
  dot_integers,
  axis_reals,
  axis_integers,
  keys,    ///< kernels/gpu/key_arguments.h
  groups,  ///< kernels/gpu/group_arguments.h
  keep,    ///< kernels/gpu/key_arguments.h, as the next ones
  select,
  list,
  values,
  search,  ///< kernels/gpu/group_arguments.h
  map,     ///< kernels/gpu/expression_arguments.h; not in that file
};

}  // namespace tessera::kernels
