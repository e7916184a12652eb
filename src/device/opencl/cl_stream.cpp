#include "device/opencl/cl_stream.hpp"

#include "device/opencl/program.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {
namespace {

constexpr const char* kFormulaNames[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) #id,
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

/// Of a kernel for plain pixels.
struct KindText {
  const char* name;
  const char* arguments;  ///< of TS_RENDER_KERNEL
};
constexpr KindText kKinds[] = {
#define TS_KIND_TEXT(id, kind, flags, cut) {#kind, #kind ", " #flags ", " #cut},
    TS_RENDER_KINDS(TS_KIND_TEXT, )
#undef TS_KIND_TEXT
};

/// The text of the program with this kernel alone.
std::string source_of(const char* formula, const KindText& kind) {
  return fmt::format("#define TS_ONE_KERNEL TS_RENDER_KERNEL({}, {})\n{}", formula, kind.arguments,
                     kPixelSource);
}

/// Of the kernels that read this table of a deep image.
const char* source_of(std::uint32_t table) {
  return table == 0 ? kDeepSource : kDeepPreciseSource;
}

}  // namespace

ClStream::ClStream(const std::shared_ptr<const OpenDevice>& device)
    : ClQueue(device, 0, sizeof(gpu::StatsSlots)),
      deep_(device->deep_tables()),
      stats_(queue().make_memory(sizeof(gpu::StatsSlots))) {
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
  queue().launch(render_kernel(tile).get(), {kernels::blocks_of(tile)}, tile, memory(),
                 stats_.get());
}

/// Its program is built at first use: building those of all formulas takes some drivers a minute.
const Kernel& ClStream::render_kernel(const gpu::Tile& tile) {
  const kernels::TsRenderKind number = kernels::render_kind_of(tile);
  std::optional<Kernel>& render = render_[tile.formula][number];
  if (!render) {
    const KindText& kind = kKinds[number];
    const char* const formula = kFormulaNames[tile.formula];
    render = queue().make_kernel(queue().device().program_of(source_of(formula, kind)),
                                 fmt::format("ts_render_{}_{}", formula, kind.name).c_str());
  }
  return *render;
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
  queue().launch(render->get(), {kernels::blocks_of(tile)}, tile, table.image, table.memory.get(),
                 memory(), stats_.get());
}

gpu::BandStats ClStream::read_stats() {
  gpu::StatsSlots slots;
  queue().read(stats_.get(), 0, std::as_writable_bytes(std::span(slots)));
  queue().wait();
  deep_.launched();
  return gpu::joined(slots);
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
