#include "device/cuda/cuda_stream.hpp"

#include <cstring>

#include "kernels/cuda.hpp"

namespace tessera::device::cuda {
namespace {

int made_current(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

}  // namespace

CudaStream::CudaStream(int device)
    : device_(made_current(device)),
      pixels_(make_device_array<std::byte>(capacity_)),
      stats_(make_device_array<kernels::TsStats>(TS_STATS_SLOTS)),
      no_pixels_(sizeof(gpu::StatsSlots)),
      read_slots_(sizeof(gpu::StatsSlots)) {
  gpu::StatsSlots empty;
  empty.fill(gpu::kNoPixels);
  std::memcpy(no_pixels_.bytes().data(), empty.data(), sizeof(empty));
}

bool CudaStream::grow(std::size_t bytes) {
  make_current();
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return false;
  }
  check(code, "cudaMalloc");
  pixels_.reset(static_cast<std::byte*>(memory));
  capacity_ = bytes;
  return true;
}

void CudaStream::clear(std::size_t bytes) {
  make_current();
  check(cudaMemsetAsync(pixels_.get(), 0, bytes, stream_.get()), "cudaMemsetAsync");
}

void CudaStream::begin_stats() {
  make_current();
  const auto from = no_pixels_.bytes();
  check(cudaMemcpyAsync(stats_.get(), from.data(), from.size(), cudaMemcpyHostToDevice,
                        stream_.get()),
        "cudaMemcpyAsync to the device");
}

void CudaStream::launch(const gpu::Tile& tile) {
  make_current();
  kernels::launch_render(tile, pixels_.get(), stats_.get(), stream_.get());
  check(cudaGetLastError(), "launch of the render kernel");
}

gpu::StatsSlots CudaStream::read_stats() {
  make_current();
  const auto to = read_slots_.bytes();
  check(cudaMemcpyAsync(to.data(), stats_.get(), to.size(), cudaMemcpyDeviceToHost, stream_.get()),
        "cudaMemcpyAsync from the device");
  stream_.wait();
  gpu::StatsSlots slots;
  std::memcpy(slots.data(), to.data(), sizeof(slots));
  return slots;
}

void CudaStream::copy_out(std::size_t from, std::span<std::byte> to) {
  make_current();
  check(cudaMemcpyAsync(to.data(), pixels_.get() + from, to.size(), cudaMemcpyDeviceToHost,
                        stream_.get()),
        "cudaMemcpyAsync from the device");
}

void CudaStream::wait() {
  make_current();
  stream_.wait();
}

std::unique_ptr<HostBuffer> CudaStream::make_host_buffer(std::size_t bytes) {
  make_current();
  return std::make_unique<PinnedBuffer>(bytes);
}

std::shared_ptr<void> CudaStream::lock_memory(std::span<std::byte> bytes) {
  make_current();
  return cuda::lock_memory(bytes);
}

}  // namespace tessera::device::cuda
