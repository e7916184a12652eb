#include "device/cuda/cuda_stream.hpp"

#include <cstring>

#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {
CudaStream::CudaStream(int device)
    : CudaQueue(device),
      stats_(make_device_array<kernels::TsStats>(TS_STATS_SLOTS)),
      no_pixels_(sizeof(gpu::StatsSlots)),
      read_slots_(sizeof(gpu::StatsSlots)) {
  gpu::StatsSlots empty;
  empty.fill(gpu::kNoPixels);
  std::memcpy(no_pixels_.bytes().data(), empty.data(), sizeof(empty));
}

void CudaStream::clear(std::size_t bytes) {
  make_current();
  check(cudaMemsetAsync(memory(), 0, bytes, stream().get()), "cudaMemsetAsync");
}

void CudaStream::begin_stats() {
  make_current();
  const auto from = no_pixels_.bytes();
  check(cudaMemcpyAsync(stats_.get(), from.data(), from.size(), cudaMemcpyHostToDevice,
                        stream().get()),
        "cudaMemcpyAsync to the device");
}

void CudaStream::launch(const gpu::Tile& tile) {
  make_current();
  kernels::launch_render(tile, memory(), stats_.get(), stream().get());
  check(cudaGetLastError(), "launch of the render kernel");
}

gpu::StatsSlots CudaStream::read_stats() {
  make_current();
  const auto to = read_slots_.bytes();
  check(cudaMemcpyAsync(to.data(), stats_.get(), to.size(), cudaMemcpyDeviceToHost, stream().get()),
        "cudaMemcpyAsync from the device");
  stream().wait();
  gpu::StatsSlots slots;
  std::memcpy(slots.data(), to.data(), sizeof(slots));
  return slots;
}

void CudaStream::copy_out(std::size_t from, std::span<std::byte> to) {
  make_current();
  check(cudaMemcpyAsync(to.data(), memory() + from, to.size(), cudaMemcpyDeviceToHost,
                        stream().get()),
        "cudaMemcpyAsync from the device");
}

}  // namespace tessera::device::cuda
