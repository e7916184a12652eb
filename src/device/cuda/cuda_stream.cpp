#include "device/cuda/cuda_stream.hpp"

#include <cstring>

#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {

CudaStream::CudaStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget)
    : CudaQueue(device, budget, 0, sizeof(gpu::StatsSlots)),
      stats_(device_memory().make<kernels::TsStats>(TS_STATS_SLOTS)),
      no_pixels_(make_buffer(sizeof(gpu::StatsSlots))),
      read_slots_(make_buffer(sizeof(gpu::StatsSlots))) {
  gpu::StatsSlots empty;
  empty.fill(gpu::kNoPixels);
  std::memcpy(no_pixels_->bytes().data(), empty.data(), sizeof(empty));
}

void CudaStream::clear(std::size_t bytes) {
  make_current();
  set_to_zero(memory(), bytes);
}

void CudaStream::begin_stats() {
  make_current();
  copy_to_device(stats_.get(), no_pixels_->bytes());
}

void CudaStream::launch(const gpu::Tile& tile) {
  make_current();
  kernels::launch_render(tile, memory(), stats_.get(), stream());
  launched("launch of the render kernel");
}

gpu::StatsSlots CudaStream::read_stats() {
  make_current();
  copy_from_device(read_slots_->bytes(), stats_.get());
  finish();
  gpu::StatsSlots slots;
  std::memcpy(slots.data(), read_slots_->bytes().data(), sizeof(slots));
  return slots;
}

void CudaStream::copy_out(std::size_t from, std::span<std::byte> to) {
  make_current();
  copy_from_device(to, memory() + from);
}

}  // namespace tessera::device::cuda
