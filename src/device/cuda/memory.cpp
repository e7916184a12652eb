#include "device/cuda/memory.hpp"

namespace tessera::device::cuda {

DeviceArray<std::byte> try_device_array(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(code, "cudaMalloc");
  return DeviceArray<std::byte>(static_cast<std::byte*>(memory));
}

int set_current_device(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

WaitableStream::WaitableStream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_.reset(stream);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  done_.reset(event);
}

void WaitableStream::wait() const {
  check(cudaEventRecord(done_.get(), stream_.get()), "cudaEventRecord");
  check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize");
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  memory_.reset(static_cast<std::byte*>(memory));
}

std::shared_ptr<void> lock_memory(std::span<std::byte> bytes) {
  if (cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterPortable) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return {bytes.data(), [](void* memory) { cudaHostUnregister(memory); }};
}

}  // namespace tessera::device::cuda
