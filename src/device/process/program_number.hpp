// Numbers of the programs that a device's process may have to compile before it answers.
#pragma once

#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "kernels/gpu/array_kernels.hpp"
#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::device::process {

using ProgramNumber = std::uint64_t;

inline ProgramNumber number_of(kernels::ArrayKernel kernel) {
  return static_cast<ProgramNumber>(kernel);
}

/// Each expression is a program of its own, where a compiler makes programs of them.
inline ProgramNumber number_of(std::span<const kernels::TsStep> steps) {
  constexpr ProgramNumber kAboveKernels = ProgramNumber{1} << 63;
  const auto bytes = std::as_bytes(steps);
  const std::uint64_t hash =
      base::fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return kAboveKernels | hash;
}

}  // namespace tessera::device::process
