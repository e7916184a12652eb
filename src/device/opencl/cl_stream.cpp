#include "device/opencl/cl_stream.hpp"

#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {
namespace {

struct RenderKernels {
  const char* whole;
  const char* cut;
};

/// By kernels::TsFormula.
constexpr RenderKernels kRenderKernels[] = {
#define TS_ROW(id, name, parameter, surely_inside) {"ts_render_" #id, "ts_render_cut_" #id},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

}  // namespace

ClStream::ClStream(std::shared_ptr<const OpenDevice> device)
    : ClQueue(std::move(device), 0, sizeof(gpu::StatsSlots)),
      stats_(queue().make_memory(sizeof(gpu::StatsSlots))) {
  for (const RenderKernels& names : kRenderKernels) {
    render_.push_back(queue().make_kernel(names.whole));
    render_cut_.push_back(queue().make_kernel(names.cut));
  }
  no_pixels_.fill(gpu::kNoPixels);
}

void ClStream::clear(std::size_t bytes) {
  const cl_uchar zero = 0;
  queue().check(queue().cl().clEnqueueFillBuffer(queue().get(), memory(), &zero, sizeof(zero), 0,
                                                 bytes, 0, nullptr, nullptr),
                "clEnqueueFillBuffer");
}

void ClStream::begin_stats() {
  queue().write(stats_.get(), std::as_bytes(std::span(no_pixels_)));
}

void ClStream::launch(const gpu::Tile& tile) {
  const std::vector<Kernel>& render = tile.cut != 0 ? render_cut_ : render_;
  queue().launch(render[tile.formula].get(), {kernels::groups_of(tile)}, tile, memory(),
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
