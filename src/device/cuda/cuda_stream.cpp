#include "device/cuda/cuda_stream.hpp"

#include <cstring>

#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {

CudaStream::CudaStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget,
                       std::shared_ptr<DeepTables> tables)
    : CudaQueue(device, budget, 0, sizeof(gpu::StatsSlots)),
      device_(device),
      budget_(budget),
      tables_(std::move(tables)),
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
  if ((tile.flags & TS_DEEP) != 0) {
    const auto& table = deep_.table(tile.table);
    const auto launch = tile.table == 0 ? kernels::launch_deep : kernels::launch_precise;
    launch(tile, table.image, table.memory.get(), memory(), stats_.get(), stream());
  } else {
    kernels::launch_render(tile, memory(), stats_.get(), stream());
  }
  launched("launch of the render kernel");
}

gpu::BandStats CudaStream::read_stats() {
  make_current();
  copy_from_device(read_slots_->bytes(), stats_.get());
  finish();
  deep_.launched();
  gpu::StatsSlots slots;
  std::memcpy(slots.data(), read_slots_->bytes().data(), sizeof(slots));
  return gpu::joined(slots);
}

void CudaStream::copy_out(std::size_t from, std::span<std::byte> to) {
  make_current();
  copy_from_device(to, memory() + from);
}

void CudaStream::copy_in(std::span<const std::byte> from, std::size_t to) {
  make_current();
  copy_to_device(memory() + to, from);
}

bool CudaStream::make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                           std::size_t bytes) {
  make_current();
  deep_.drop(table);
  auto memory = try_make_shared(device_, budget_, bytes);
  if (!memory) return false;
  deep_.make(table, image, std::move(memory));
  return true;
}

void CudaStream::copy_deep(std::span<const std::byte> from, std::size_t at_byte) {
  make_current();
  copy_to_device(deep_.being_made().get() + at_byte, from);
}

}  // namespace tessera::device::cuda
