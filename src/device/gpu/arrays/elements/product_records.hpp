// The product of all elements on a GPU: the kernel's table, and the merging of its blocks' results.
#pragma once

#include <span>
#include <vector>

#include "kernels/exact/product.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::gpu {

/// kernels::LogTable in the layout of kernels/gpu/product.h: TS_LOG_ENTRIES entries of TS_LOG_WORDS
/// words.
std::vector<kernels::TS_U64> logarithm_words();

void add_product(std::span<const kernels::TsReduced> records, kernels::Product& product);

}  // namespace tessera::device::gpu
