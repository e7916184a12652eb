// Kernels: what the objects of nvcc register and launch. The names in their tables are mangled;
// the kernels for the host are found by the plain name inside.
#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "blocks.hpp"
#include "calls.hpp"
#include "device_memory.hpp"
#include "kernels.hpp"

using namespace cuda_runtime;

namespace {

struct LaunchConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
thread_local LaunchConfiguration pushed_configuration;

struct Registered {
  std::mutex mutex;
  std::map<const void*, const HostKernel*> kernels;
};

Registered& registered() {
  static Registered& known = *new Registered;
  return known;
}

/// By "8ts_kernelE", as it is inside the mangled name.
const HostKernel* find_kernel(std::string_view mangled) {
  for (const auto kernels : {pixel_kernels(), precise_kernels(), wide_kernels(), reduce_kernels(),
                             expression_kernels()}) {
    for (const HostKernel& kernel : kernels) {
      if (mangled.find(fmt::format("{}{}E", kernel.name.size(), kernel.name)) != mangled.npos)
        return &kernel;
    }
  }
  report(fmt::format("tests/cuda_runtime has no kernel for {}", mangled));
}

const HostKernel& kernel_of(const void* function) {
  const std::scoped_lock lock(registered().mutex);
  const auto found = registered().kernels.find(function);
  if (found == registered().kernels.end()) report("a launch of a kernel that is not registered");
  return *found->second;
}

void check_configuration(const HostKernel& kernel, dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.x > 0x7FFFFFFFU || grid.y != 1 || grid.z != 1) {
    report(fmt::format("{}: a grid of {} x {} x {} blocks", kernel.name, grid.x, grid.y, grid.z));
  }
  if (block.x != kernel.threads || block.y != 1 || block.z != 1) {
    report(fmt::format("{}: {} threads a block, and its launch bounds are {}", kernel.name, block.x,
                       kernel.threads));
  }
}

/// Checks that handles are memory of the device; how far they reach is checked with each access.
Translate translation_for(const Device& device, std::string_view kernel) {
  return [number = device.number(), kernel](const void* handle) -> void* {
    if (handle == nullptr) return nullptr;
    const std::string use = fmt::format("an argument of {}", kernel);
    std::byte* const bytes = bytes_of(handle, 1, use.c_str());
    if (device_of(handle) != number) report(use + " is memory of another device");
    return bytes;
  };
}

cudaError_t launch(const HostKernel& kernel, dim3 grid, dim3 block, void** arguments,
                   cudaStream_t stream) {
  return device_call("cudaLaunchKernel", [&] {
    Stream& on = stream_of(stream, "a launch");
    check_configuration(kernel, grid, block);
    const auto body = kernel.bind(arguments, translation_for(on.device(), kernel.name));
    on.push("kernel", [=] {
      run_blocks(grid.x, block.x, body);
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names are those of nvcc's objects.
extern "C" {
void** __cudaRegisterFatBinary(void* binary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, void* tid, void* bid, void* block, void* grid,
                            int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external,
                       std::size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*) {
  const std::scoped_lock lock(registered().mutex);
  registered().kernels[host] = find_kernel(name);
}

/// Kernels on the host have tables of their own.
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream) {
  pushed_configuration = {grid, block, shared_bytes, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  *grid = pushed_configuration.grid;
  *block = pushed_configuration.block;
  *shared_bytes = pushed_configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = pushed_configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<HostKernel*>(&kernel_of(function)));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t, cudaStream_t stream) {
  return launch(*reinterpret_cast<const HostKernel*>(kernel), grid, block, arguments, stream);
}
}
// NOLINTEND(bugprone-reserved-identifier)

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t, cudaStream_t stream) {
  return launch(kernel_of(function), grid, block, arguments, stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return device_call("cudaFuncGetAttributes", [&] {
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(kernel_of(function).threads);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, std::size_t,
                                                                   unsigned) {
  return device_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    if (threads != static_cast<int>(kernel_of(function).threads)) {
      report("the occupancy of blocks of another size than that of the launch");
    }
    *blocks = settings().occupancy;
    return cudaSuccess;
  });
}
