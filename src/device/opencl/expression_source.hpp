// Writes the kernel of an expression as OpenCL C, for the driver's compiler.
#pragma once

#include <span>
#include <string>

#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::device::opencl {

/// The whole program; its kernel ts_map takes a TsMap with these registers of results, and the
/// memory.
std::string expression_source(std::span<const kernels::TsStep> steps,
                              std::span<const kernels::TsMapResult> results);

}  // namespace tessera::device::opencl
