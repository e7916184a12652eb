// How a device evaluated expressions.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace tessera::device {

struct Evaluation {
  std::string compiler;        ///< "NVRTC 13.0", or "none: " and the reason
  std::uint64_t compiled = 0;  ///< launches of kernels that were compiled for their expression
  std::uint64_t by_steps = 0;  ///< launches of the kernel that executes the steps of any expression

  static auto members(auto& self) { return std::tie(self.compiler, self.compiled, self.by_steps); }
};

}  // namespace tessera::device
