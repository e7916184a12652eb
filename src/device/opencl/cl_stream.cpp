#include "device/opencl/cl_stream.hpp"

#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {
namespace {

/// By kernels::TsFormula.
constexpr const char* kRenderKernels[] = {
#define TS_ROW(id, name, parameter, surely_inside) "ts_render_" #id,
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

}  // namespace

ClStream::ClStream(std::shared_ptr<const OpenDevice> device)
    : ClQueue(std::move(device)), stats_(queue().make_memory(sizeof(gpu::StatsSlots))) {
  for (const char* const name : kRenderKernels) render_.push_back(queue().make_kernel(name));
  no_pixels_.fill(gpu::kNoPixels);
}

void ClStream::clear(std::size_t bytes) {
  const cl_uchar zero = 0;
  check(queue().cl().clEnqueueFillBuffer(queue().get(), memory(), &zero, sizeof(zero), 0, bytes, 0,
                                         nullptr, nullptr),
        "clEnqueueFillBuffer");
}

void ClStream::begin_stats() {
  queue().write(stats_.get(), std::as_bytes(std::span(no_pixels_)));
}

void ClStream::launch(const gpu::Tile& tile) {
  queue().launch(render_[tile.formula].get(), {kernels::groups_of(tile)}, tile, memory(),
                 stats_.get());
}

gpu::StatsSlots ClStream::read_stats() {
  gpu::StatsSlots slots;
  queue().read(stats_.get(), 0, std::as_writable_bytes(std::span(slots)));
  queue().wait();
  return slots;
}

void ClStream::copy_out(std::size_t from, std::span<std::byte> to) {
  queue().read(memory(), from, to);
}

}  // namespace tessera::device::opencl
