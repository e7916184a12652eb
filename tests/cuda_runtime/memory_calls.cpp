// The functions of CUDA that allocate, copy and clear memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "calls.hpp"
#include "device_memory.hpp"
#include "host_memory.hpp"

using namespace cuda_runtime;

namespace {

/// The bytes of memory of the stream's device.
std::byte* bytes_for(const Stream& stream, const void* handle, std::size_t size, const char* use) {
  std::byte* const bytes = bytes_of(handle, size, use);
  if (device_of(handle) != stream.device().number()) {
    report(fmt::format("{} uses memory of device {} on a stream of device {}", use,
                       device_of(handle), stream.device().number()));
  }
  return bytes;
}

void copy_to_device(Stream& stream, void* to, const void* from, std::size_t size) {
  std::byte* const bytes = bytes_for(stream, to, size, "a copy to the device");
  const auto copy = std::make_shared<CopyInFlight>(from, size);
  stream.push("copy", [=] {
    copy->check_unchanged();
    std::memcpy(bytes, from, size);
    mark_written(bytes, size);
    return cudaSuccess;
  });
}

void copy_to_host(Stream& stream, void* to, const void* from, std::size_t size) {
  const std::byte* const bytes = bytes_for(stream, from, size, "a copy from the device");
  const auto copy = CopyInFlight::to_host(to, size);
  stream.push("copy", [=] {
    copy->check_unchanged();
    check_written(bytes, size, "a copy from the device");
    std::memcpy(to, bytes, size);
    return cudaSuccess;
  });
}

cudaError_t allocated(void* memory, void** to) {
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  *to = memory;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return device_call("cudaMalloc",
                     [&] { return allocated(allocate(current_device().number(), bytes), memory); });
}

cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  return plain_call("cudaFree", [&] {
    const cudaError_t code = wait_for_all(device(device_of(memory)));
    release(memory);
    return code;
  });
}

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  return device_call("cudaMallocAsync", [&] {
    stream_of(stream, "cudaMallocAsync");
    return allocated(allocate(current_device().number(), bytes), memory);
  });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return device_call("cudaFreeAsync", [&] {
    stream_of(stream, "cudaFreeAsync").push("other", [memory] {
      release(memory);
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return device_call("cudaDeviceGetDefaultMemPool", [&] {
    static char the_pool = 0;
    *pool = reinterpret_cast<cudaMemPool_t>(&the_pool);
    return settings().pools ? cudaSuccess : cudaErrorNotSupported;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return device_call("cudaMemPoolSetAttribute", [] { return cudaSuccess; });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return device_call("cudaHostAlloc", [&] { return allocated(allocate_host(bytes), memory); });
}

cudaError_t cudaFreeHost(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  release_host(memory);
  return plain_call("cudaFreeHost", [] { return cudaSuccess; });
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  return device_call("cudaHostRegister", [&] {
    return lock_host(memory, bytes) ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  unlock_host(memory);
  return plain_call("cudaHostUnregister", [] { return cudaSuccess; });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return device_call("cudaMemcpyAsync", [&] {
    Stream& on = stream_of(stream, "cudaMemcpyAsync");
    if (size == 0) return cudaSuccess;
    if (kind == cudaMemcpyHostToDevice) {
      copy_to_device(on, to, from, size);
    } else if (kind == cudaMemcpyDeviceToHost) {
      copy_to_host(on, to, from, size);
    } else {
      report("cudaMemcpyAsync of a kind that the backend does not use");
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return device_call("cudaMemcpy2DAsync", [&] {
    Stream& on = stream_of(stream, "cudaMemcpy2DAsync");
    if (kind != cudaMemcpyDeviceToHost) report("cudaMemcpy2DAsync of a kind that nobody uses");
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    for (std::size_t row = 0; row < height; ++row) {
      copy_to_host(on, static_cast<std::byte*>(to) + row * to_pitch,
                   static_cast<const std::byte*>(from) + row * from_pitch, width);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return plain_call("cudaPointerGetAttributes", [&] {
    *attributes = {};
    const auto visible = visible_devices();
    const auto found = std::ranges::find(visible, device_of(address));
    if (found == visible.end()) return cudaSuccess;
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = static_cast<int>(found - visible.begin());
    return cudaSuccess;
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t size, cudaStream_t stream) {
  return device_call("cudaMemsetAsync", [&] {
    Stream& on = stream_of(stream, "cudaMemsetAsync");
    if (size == 0) return cudaSuccess;
    std::byte* const bytes = bytes_for(on, memory, size, "cudaMemsetAsync");
    on.push("other", [=] {
      std::memset(bytes, value, size);
      mark_written(bytes, size);
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}
