#include "device/opencl/cl_stream.hpp"

namespace tessera::device::opencl {

ClStream::ClStream(std::shared_ptr<const OpenDevice> device)
    : queue_(std::move(device)),
      render_(queue_.make_kernel("ts_render")),
      pixels_(queue_.make_memory(capacity_)),
      stats_(queue_.make_memory(sizeof(gpu::StatsSlots))) {
  no_pixels_.fill(gpu::kNoPixels);
}

bool ClStream::grow(std::size_t bytes) {
  try {
    pixels_ = queue_.make_memory(bytes);
  } catch (const DeviceError&) {
    return false;
  }
  capacity_ = bytes;
  return true;
}

void ClStream::clear(std::size_t bytes) {
  const cl_uchar zero = 0;
  check(queue_.cl().clEnqueueFillBuffer(queue_.get(), pixels_.get(), &zero, sizeof(zero), 0, bytes,
                                        0, nullptr, nullptr),
        "clEnqueueFillBuffer");
}

void ClStream::begin_stats() {
  queue_.write(stats_.get(), std::as_bytes(std::span(no_pixels_)));
}

void ClStream::launch(const gpu::Tile& tile) {
  queue_.launch(render_.get(), {kernels::groups_of(tile)}, tile, pixels_.get(), stats_.get());
}

gpu::StatsSlots ClStream::read_stats() {
  gpu::StatsSlots slots;
  queue_.read(stats_.get(), 0, std::as_writable_bytes(std::span(slots)));
  queue_.wait();
  return slots;
}

void ClStream::copy_out(std::size_t from, std::span<std::byte> to) {
  queue_.read(pixels_.get(), from, to);
}

}  // namespace tessera::device::opencl
