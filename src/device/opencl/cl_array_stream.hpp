// gpu::ArrayStream on an OpenCL queue.
#pragma once

#include <map>
#include <string>

#include "device/gpu/arrays/stream/array_stream_on.hpp"
#include "device/opencl/cl_queue.hpp"

namespace tessera::device::opencl {

class ClArrayStream : public gpu::ArrayStreamOn<ClQueue<gpu::ArrayStream>> {
 public:
  explicit ClArrayStream(const std::shared_ptr<const OpenDevice>& device);

  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override;

 protected:
  void start(kernels::ArrayKernel kernel, std::size_t blocks,
             std::span<const kernels::TS_U64> arguments, const MemoryArguments& memory) override;

 private:
  cl_kernel kernel(kernels::ArrayKernel which);
  cl_kernel kernel(std::span<const kernels::TsStep> steps,
                   std::span<const kernels::TsMapResult> results);

  std::map<kernels::ArrayKernel, Kernel> kernels_;  ///< created at first use
  std::map<std::string, Kernel> maps_;              ///< by gpu::expression_key()
  bool has_sum_kernels_;  ///< local memory is large enough for the kernels of sums alone
};

}  // namespace tessera::device::opencl
