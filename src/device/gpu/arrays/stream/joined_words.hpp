// Words of 64 bits that a GPU leaves of a wider integer.
#pragma once

#include "kernels/exact/wide_integers.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::gpu {

inline kernels::UnsignedInt128 joined(kernels::TS_U64 low, kernels::TS_U64 high) {
  return static_cast<kernels::UnsignedInt128>(high) << 64 | low;
}

}  // namespace tessera::device::gpu
