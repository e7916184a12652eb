// Programs that are compiled at run time. What the NVRTC for tests (nvrtc.cpp) makes is a shared
// object of this machine behind a head; the CUDA runtime for tests loads it.
#pragma once

#include <cstdint>

namespace cuda_runtime {

struct ProgramHead {
  static constexpr std::uint64_t kMagic = 0x6172657373657454;
  std::uint64_t magic = kMagic;
  std::uint64_t bytes = 0;  ///< of the shared object
  int architecture = 0;     ///< 90 = compute capability 9.0
  int unused = 0;
};

/// The shared object's function that returns its kernel.
inline constexpr const char* kKernelFunction = "cuda_runtime_kernel";

}  // namespace cuda_runtime
