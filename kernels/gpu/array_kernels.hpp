// kernels/gpu/array_kernels.h for C++.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/gpu/array_kernels.h"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {

enum class ArrayKernel : std::uint8_t {
#define TS_NAMED(name, arguments, blocks) name,
  TS_ARRAY_KERNELS(TS_NAMED)
#undef TS_NAMED
};

/// How many blocks a launch gets.
enum class Blocks : std::uint8_t {
  exact,     ///< those that were requested
  filling,   ///< no more than the device can run at once; they stride over the elements
  resident,  ///< the same, of blocks of this kernel
};

struct ArrayKernelRow {
  const char* name;
  std::size_t argument_bytes;
  Blocks blocks;
};

/// Indexed by ArrayKernel.
inline constexpr ArrayKernelRow kArrayKernels[] = {
#define TS_ROW(name, arguments, blocks) {#name, sizeof(arguments), Blocks::blocks},
    TS_ARRAY_KERNELS(TS_ROW)
#undef TS_ROW
};

constexpr const ArrayKernelRow& row_of(ArrayKernel kernel) {
  return kArrayKernels[static_cast<std::size_t>(kernel)];
}

}  // namespace tessera::kernels
