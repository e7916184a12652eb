#include "device/opencl/cl_stream.hpp"

#include <array>
#include <optional>

#include "device/gpu/pixels/pixel_stream_on.hpp"
#include "device/opencl/cl_queue.hpp"
#include "device/opencl/program.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {
namespace {

constexpr const char* kFormulaNames[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) #id,
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

/// The texts of a kernel for plain pixels.
struct KindText {
  const char* name;
  const char* call;  ///< the third argument of TS_RENDER_KERNEL, with {} for the formula
};
constexpr KindText kKinds[] = {
#define TS_KIND_TEXT(id, kind, call) {#kind, #call},
    TS_RENDER_KINDS(TS_KIND_TEXT, {})
#undef TS_KIND_TEXT
};

/// The text of the program with this kernel alone.
std::string source_of(const char* formula, const KindText& kind) {
  return fmt::format("#define TS_ONE_KERNEL TS_RENDER_KERNEL({}, {}, {})\n{}", formula, kind.name,
                     fmt::format(fmt::runtime(kind.call), formula), kPixelSource);
}

/// The source of the kernels that read this table of a deep image.
const char* source_of(std::uint32_t table) {
  if (table == gpu::kWideTable) return kDeepWideSource;
  return table == 0 ? kDeepSource : kDeepPreciseSource;
}

class ClStream : public gpu::PixelStreamOn<ClQueue<gpu::Stream>> {
 public:
  explicit ClStream(const std::shared_ptr<const OpenDevice>& device)
      // The tables live as long as the device.
      : PixelStreamOn({device, &device->deep_tables()}, device) {}

  void launch(const gpu::Tile& tile) override {
    if ((tile.flags & TS_DEEP) != 0) return launch_deep(tile);
    queue().launch(render_kernel(tile).get(), {kernels::blocks_of(tile)}, tile, memory().get(),
                   stats().get());
  }

 protected:
  /// Builds the program, because drivers take seconds for it.
  void prepare_deep(std::uint32_t table) override { queue().device().program_of(source_of(table)); }

 private:
  void launch_deep(const gpu::Tile& tile) {
    constexpr std::array kNames{"ts_render_deep", "ts_render_deep_steps", "ts_render_precise",
                                "ts_render_precise_steps", "ts_render_wide"};
    const auto& deep = table(tile.table);
    const auto kernel =
        tile.table == gpu::kWideTable
            ? 4U
            : (tile.table == 0 ? 0U : 2U) + static_cast<unsigned>(deep.image.limits.jumps == 0);
    std::optional<Kernel>& render = render_deep_[kernel];
    if (!render) {
      const Program& program = queue().device().program_of(source_of(tile.table));
      render = queue().make_kernel(program, kNames[kernel]);
    }
    queue().launch(render->get(), {kernels::blocks_of(tile)}, tile, deep.image, deep.memory.get(),
                   memory().get(), stats().get());
  }

  /// Its program is built at first use: building those of all formulas takes some drivers a minute.
  const Kernel& render_kernel(const gpu::Tile& tile) {
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

  using Kinds = std::array<std::optional<Kernel>, kernels::TS_RENDER_KIND_COUNT>;
  std::array<Kinds, kernels::TS_FORMULA_COUNT> render_;
  std::array<std::optional<Kernel>, 5> render_deep_;  ///< as launch_deep() has their names
};

}  // namespace

std::unique_ptr<gpu::Stream> open_pixel_stream(const std::shared_ptr<const OpenDevice>& device) {
  return std::make_unique<ClStream>(device);
}

}  // namespace tessera::device::opencl
