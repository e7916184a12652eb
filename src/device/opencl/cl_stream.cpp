#include "device/opencl/cl_stream.hpp"

#include "device/opencl/program.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {
namespace {

struct RenderKernels {
  const char* whole;
  const char* cut;
};

/// By kernels::TsFormula.
constexpr RenderKernels kRenderKernels[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) {"ts_render_" #id, "ts_render_cut_" #id},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

/// Of the kernels that read this table of a deep image.
const char* source_of(std::uint32_t table) {
  return table == 0 ? kDeepSource : kDeepPreciseSource;
}

}  // namespace

ClStream::ClStream(const std::shared_ptr<const OpenDevice>& device)
    : ClQueue(device, 0, sizeof(gpu::StatsSlots)),
      deep_(device->deep_tables()),
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
  if ((tile.flags & TS_DEEP) != 0) return launch_deep(tile);
  const std::vector<Kernel>& render = tile.cut != 0 ? render_cut_ : render_;
  queue().launch(render[tile.formula].get(), {kernels::groups_of(tile)}, tile, memory(),
                 stats_.get());
}

void ClStream::launch_deep(const gpu::Tile& tile) {
  constexpr std::array kNames{"ts_render_deep", "ts_render_deep_steps", "ts_render_precise",
                              "ts_render_precise_steps"};
  const auto& table = deep_.table(tile.table);
  const auto kernel =
      (tile.table == 0 ? 0U : 2U) + static_cast<unsigned>(table.image.limits.jumps == 0);
  std::optional<Kernel>& render = render_deep_[kernel];
  if (!render) {
    const Program& program = queue().device().program_of(source_of(tile.table));
    render = queue().make_kernel(program, kNames[kernel]);
  }
  queue().launch(render->get(), {kernels::groups_of(tile)}, tile, table.image, table.memory.get(),
                 memory(), stats_.get());
}

gpu::StatsSlots ClStream::read_stats() {
  gpu::StatsSlots slots;
  queue().read(stats_.get(), 0, std::as_writable_bytes(std::span(slots)));
  queue().wait();
  deep_.launched();
  return slots;
}

void ClStream::copy_out(std::size_t from, std::span<std::byte> to) {
  queue().read(memory(), from, to);
}

void ClStream::copy_in(std::span<const std::byte> from, std::size_t to) {
  queue().write(memory(), from, to);
}

/// Builds the program too, because drivers take seconds for it.
bool ClStream::make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                         std::size_t bytes) {
  queue().device().program_of(source_of(table));
  deep_.drop(table);
  DeviceMemory memory = queue().try_make_memory(bytes);
  if (memory.get() == nullptr) return false;
  deep_.make(table, image, std::move(memory));
  return true;
}

void ClStream::copy_deep(std::span<const std::byte> from, std::size_t at_byte) {
  queue().write(deep_.being_made().get(), from, at_byte);
}

}  // namespace tessera::device::opencl
