#include "device/cpu/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/check_block.hpp"
#include "device/cpu/pixels/band.hpp"
#include "device/cpu_threads.hpp"
#include "device/deep_block.hpp"
#include "device/kernel_fault.hpp"
#include "device/long_orbits.hpp"

namespace tessera::device::cpu {

namespace {

/// Pixels of a call when threads share a tile: a few bands, which take some tenths of a millisecond
/// or more.
// crossed by: of_pixels_of_a_band
constexpr std::int64_t kCallPixels = 4 * static_cast<std::int64_t>(kBandPixels);

class CpuLane : public Lane {
 public:
  CpuLane(const InstructionSet& isa, const LaneOptions& options) : isa_(isa), options_(options) {}

  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override {
    check_request(image, block, out);
    fail_if_ordered("device.kernel.cpu");
    if (image.deep()) return render_deep_block(image, block, out, isa_.advance_deep);
    const auto most = static_cast<std::int64_t>(kBandPixels);
    const std::int64_t width = std::min(block.width, most);
    const std::int64_t height = std::max<std::int64_t>(most / width, 1);
    BlockCounts counts;
    for (std::int64_t row = 0; row < block.height; row += height) {
      for (std::int64_t column = 0; column < block.width; column += width) {
        const base::PixelRect rect{block.x + column, block.y + row,
                                   std::min(width, block.width - column),
                                   std::min(height, block.height - row)};
        const std::ptrdiff_t first = row * out.stride_px + column;
        counts += isa_.render[image.formula.id](
            {image, rect, part(image, out, first), options_.shortcuts}, work_);
      }
    }
    if (image.has_long_orbits()) {
      finish_long_orbits(image, block, out, image.short_iterations(),
                         {options_.shortcuts, unwanted_}, counts);
    }
    return counts;
  }

  void interrupt_when(const std::function<bool()>& unwanted) override { unwanted_ = unwanted; }

 private:
  static BlockBuffers part(const job::ImageSpec& image, const BlockBuffers& out,
                           std::ptrdiff_t first) {
    const std::size_t bytes = base::element_bytes(job::iterations_type(image));
    const auto from = [&](float* field) { return field == nullptr ? nullptr : field + first; };
    return {.iterations = out.iterations + first * static_cast<std::ptrdiff_t>(bytes),
            .smooth = from(out.smooth),
            .stride_px = out.stride_px,
            .distance = from(out.distance)};
  }

  InstructionSet isa_;
  LaneOptions options_;
  std::function<bool()> unwanted_;
  Workspace work_;
};

class CpuDevice : public Device {
 public:
  CpuDevice(const InstructionSet& isa, std::string name, int threads)
      : isa_(isa), threads_(threads) {
    info_.name = std::move(name);
    info_.detail = fmt::format("{}, {}, {}", isa.name,
                               isa.lanes == 1 ? std::string("no vectors of f64")
                                              : fmt::format("{} f64 a vector", isa.lanes),
                               base::count_of(threads, "thread"));
  }
  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return threads_; }
  int rows_per_call(std::int64_t tile_width_px) const override {
    return static_cast<int>(std::max<std::int64_t>(kCallPixels / tile_width_px, 1));
  }
  std::unique_ptr<Lane> open_lane(const LaneOptions& options) const override {
    return std::make_unique<CpuLane>(isa_, options);
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    return make_reducer(spec, isa_.name);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    return make_axis_reducer(output_spec, isa_.name);
  }
  std::unique_ptr<GroupReducer> open_group_reducer(
      const statistics::GroupSpec& group_spec) const override {
    return make_group_reducer(group_spec, isa_.name);
  }

 private:
  InstructionSet isa_;
  DeviceInfo info_;
  int threads_;
};

}  // namespace
}  // namespace tessera::device::cpu

const tessera::deep::Advance& tessera::device::fastest_advance() {
  static const deep::Advance fastest = cpu::instruction_sets().front().advance_deep;
  return fastest;
}

namespace tessera::device::cpu {

std::vector<DeviceInfo> list(const Placement& placement) {
  const int threads = cpu_threads(placement, count_cores());
  std::vector<DeviceInfo> devices;
  const std::vector<InstructionSet> sets = instruction_sets();
  devices.reserve(sets.size() + 1);
  devices.push_back(CpuDevice(sets.front(), "cpu", threads).info());
  for (const InstructionSet& isa : sets) {
    devices.push_back(CpuDevice(isa, "cpu:" + isa.name, threads).info());
  }
  return devices;
}

std::unique_ptr<Device> open(std::string_view selector, const Placement& placement) {
  const int threads = cpu_threads(placement, count_cores());
  const std::vector<InstructionSet> sets = instruction_sets();
  if (selector.empty()) return std::make_unique<CpuDevice>(sets.front(), "cpu", threads);
  const auto isa = std::ranges::find(sets, selector, &InstructionSet::name);
  if (isa == sets.end()) {
    std::vector<std::string> names;
    names.reserve(sets.size());
    for (const InstructionSet& set : sets) names.push_back(set.name);
    throw base::usage_error("--device cpu:{}: this machine's instruction sets are: {}", selector,
                            base::join(names));
  }
  return std::make_unique<CpuDevice>(*isa, "cpu:" + isa->name, threads);
}

}  // namespace tessera::device::cpu
