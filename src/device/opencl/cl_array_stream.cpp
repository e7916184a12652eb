#include "device/opencl/cl_array_stream.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "device/gpu/arrays/stream/array_stream_on.hpp"
#include "device/opencl/cl_queue.hpp"
#include "device/opencl/expression_source.hpp"
#include "device/opencl/program.hpp"

namespace tessera::device::opencl {
namespace {

/// Enough blocks to fill the device; each block strides over the elements.
std::size_t blocks_on(const OpenDevice& device) {
  cl_uint units = 1;
  check(device.cl.clGetDeviceInfo(device.found.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units),
                                  &units, nullptr),
        "clGetDeviceInfo");
  return std::size_t{units} * (device.found.info.is_gpu ? 8 : 2);
}

/// In bytes.
cl_ulong local_memory_of(const OpenDevice& device) {
  cl_ulong bytes = 0;
  check(device.cl.clGetDeviceInfo(device.found.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(bytes),
                                  &bytes, nullptr),
        "clGetDeviceInfo");
  return bytes;
}

class ClArrayStream : public gpu::ArrayStreamOn<ClQueue<gpu::ArrayStream>> {
 public:
  explicit ClArrayStream(const std::shared_ptr<const OpenDevice>& device)
      : ArrayStreamOn(blocks_on(*device), 0, device),
        has_sum_kernels_(local_memory_of(*device) >= TS_SUM_BLOCK_BYTES) {}

  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override {
    const std::span<const kernels::TsMapResult> results(call.results);
    queue().launch(kernel(steps, results.first(call.result_count)),
                   {gpu::blocks_of_threads(call.elements), TS_REDUCE_BLOCK}, call, memory().get());
  }

 protected:
  void start(kernels::ArrayKernel kernel, std::size_t blocks,
             std::span<const kernels::TS_U64> arguments, const MemoryArguments& memory) override {
    if (!has_sum_kernels_) kernel = gpu::kernel_of_everything(kernel);
    std::array<cl_mem, std::tuple_size_v<MemoryArguments>> handles{};
    std::ranges::transform(memory, handles.begin(), &DeviceMemory::get);
    queue().launch_with(this->kernel(kernel), {blocks, TS_REDUCE_BLOCK}, std::as_bytes(arguments),
                        handles);
  }

 private:
  cl_kernel kernel(kernels::ArrayKernel which) {
    const auto [entry, is_new] = kernels_.try_emplace(which);
    if (is_new) {
      const Program& program = queue().device().array_program(which);
      entry->second =
          queue().make_kernel(program, fmt::format("ts_{}", kernels::row_of(which).name).c_str());
    }
    return entry->second.get();
  }
  cl_kernel kernel(std::span<const kernels::TsStep> steps,
                   std::span<const kernels::TsMapResult> results) {
    Kernel& found = maps_[expression_key(steps, results)];
    if (found.get() == nullptr) {
      const std::string source = kExpressionSource + expression_kernel(steps, results);
      found = queue().make_kernel(queue().device().program_of(source), "ts_map");
    }
    return found.get();
  }

  std::map<kernels::ArrayKernel, Kernel> kernels_;  ///< created at first use
  std::map<std::string, Kernel> maps_;              ///< by gpu::expression_key()
  bool has_sum_kernels_;  ///< local memory is large enough for the kernels of sums alone
};

}  // namespace

std::unique_ptr<gpu::ArrayStream> open_array_stream(
    const std::shared_ptr<const OpenDevice>& device) {
  return std::make_unique<ClArrayStream>(device);
}

}  // namespace tessera::device::opencl
