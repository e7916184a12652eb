// Kernels of expressions, compiled for a device by NVRTC or taken from the cache of an earlier run.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/check.hpp"
#include "device/cuda/nvrtc.hpp"
#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::device::cuda {

/// The embedded text of kernels/cuda/compiled_expression.h.
extern const char* const kExpressionSource;

/// The whole program of an expression.
std::string program_source(std::span<const kernels::TsStep> steps,
                           std::span<const kernels::TsMapResult> results);
/// Options for an architecture such as 90. None of them lets the compiler change result bits.
std::vector<std::string> compiler_options(int architecture);

/// Shared by the streams of a device. Any number of threads may use it.
class ExpressionPrograms {
 public:
  explicit ExpressionPrograms(int device) : device_(device) {}
  ~ExpressionPrograms();
  ExpressionPrograms(const ExpressionPrograms&) = delete;
  ExpressionPrograms& operator=(const ExpressionPrograms&) = delete;

  /// The kernel of an expression, for cudaLaunchKernel(), compiled at its first use; the device
  /// must be current. Null if the kernel that executes steps has to do the work, because there is
  /// no compiler, it fails, or another thread is compiling. Throws ContextLostError.
  const void* find(std::span<const kernels::TsStep> steps,
                   std::span<const kernels::TsMapResult> results);
  /// Name of the compiler, and what went wrong with it.
  std::string compiler();

 private:
  /// Without a kernel while it is being compiled, and if that failed.
  struct Loaded {
    std::shared_ptr<void> library;
    const void* kernel = nullptr;
  };
  /// Null if there is none. `mutex_` is held.
  const Nvrtc* nvrtc();
  /// Throws DeviceError.
  Loaded build(const Nvrtc& nvrtc, const std::string& source) const;
  static Loaded load(const std::vector<unsigned char>& code);

  int device_;
  std::mutex mutex_;  ///< guards the members below
  std::optional<Nvrtc> nvrtc_;
  std::string failure_;                  ///< why there is no compiler, or why one program failed
  std::map<std::string, Loaded> known_;  ///< by gpu::expression_key()
};

/// Starts the kernel of an expression. cudaGetLastError() returns its error.
void launch_expression(const void* kernel, const kernels::TsMap& call, std::byte* memory,
                       cudaStream_t stream);

}  // namespace tessera::device::cuda
