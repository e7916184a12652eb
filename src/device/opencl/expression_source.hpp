// Writes the kernel of an expression for OpenCL's compiler.
#pragma once

#include <span>
#include <string>

#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::device::opencl {

/// The kernel ts_map, which takes a TsMap with these registers of results, and the memory. The text
/// that it needs precedes it: kernels/opencl/expression.cl.
std::string expression_kernel(std::span<const kernels::TsStep> steps,
                              std::span<const kernels::TsMapResult> results);

/// Differs between kernels, as their texts do, and is quicker to make.
std::string expression_key(std::span<const kernels::TsStep> steps,
                           std::span<const kernels::TsMapResult> results);

}  // namespace tessera::device::opencl
