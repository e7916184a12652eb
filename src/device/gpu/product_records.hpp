// The product of all elements on a GPU: what the kernel needs, and what its groups say.
#pragma once

#include <span>
#include <vector>

#include "kernels/exact/product.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::gpu {

/// kernels::LogTable as kernels/gpu/product.h reads it: TS_LOG_ENTRIES times TS_LOG_WORDS.
std::vector<kernels::TS_U64> logarithm_words();

void add_product(std::span<const kernels::TsReduced> records, kernels::Product& product);

}  // namespace tessera::device::gpu
