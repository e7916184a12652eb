// Advances many pixels of a deep image, with vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/deep/scalar.hpp"

namespace tessera::device::cpu {

struct DeepTable {
  kernels::TsDeepLimits limits;
  const kernels::TsJumpNode* nodes;
  const kernels::TsJumpEntry* entries;
  kernels::TsJumpEntry plain;  ///< a step without a jump: a = 1, q = 0, b = the unit of c
};

/// kernels::ts_deep_advance() of one pixel.
std::uint32_t advance_one(const DeepTable& table, kernels::TsDeepPixel& pixel);

}  // namespace tessera::device::cpu
