#include "device/cpu/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cpu/cpu_target.hpp"
#include "device/host/cpu_threads.hpp"
#include "device/kernel_fault.hpp"
#include "device/pixels/check_block.hpp"
#include "device/pixels/deep_block.hpp"
#include "device/pixels/long_orbits.hpp"

namespace tessera::device::cpu {

namespace {

/// Pixels of a call when threads share a tile: a few bands, which take some tenths of a millisecond
/// or more.
// crossed by: of_pixels_of_a_band
constexpr std::int64_t kCallPixels = 4 * static_cast<std::int64_t>(kBandPixels);

/// Pixels that are computed between two questions whether they are wanted, where nothing asks
/// inside.
// crossed by: ends_soon_where_nobody_wants_the_pixels
constexpr std::size_t kInterruptiblePixels = 128;

class CpuLane : public Lane {
 public:
  CpuLane(const PixelSet& set, const LaneOptions& options) : set_(set), options_(options) {}

  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override {
    check_request(image, block, out);
    fail_if_ordered("device.kernel.cpu");
    const auto most = static_cast<std::int64_t>(pixels_at_a_time(image));
    const std::int64_t width = std::min(block.width, most);
    const std::int64_t height = std::max<std::int64_t>(most / width, 1);
    BlockCounts counts;
    for (std::int64_t row = 0; row < block.height; row += height) {
      for (std::int64_t column = 0; column < block.width; column += width) {
        const base::PixelRect rect{block.x + column, block.y + row,
                                   std::min(width, block.width - column),
                                   std::min(height, block.height - row)};
        if (work_.is_unwanted()) throw Interrupted();
        counts += render_part(image, rect, part(image, out, row * out.stride_px + column));
      }
    }
    if (work_.is_unwanted()) throw Interrupted();
    if (image.deep()) return counts;
    if (image.has_long_orbits()) {
      finish_long_orbits(image, block, out, image.short_iterations(),
                         {options_.shortcuts, work_.unwanted}, counts);
    }
    return counts;
  }

  void interrupt_when(const std::function<bool()>& unwanted) override { work_.unwanted = unwanted; }

 private:
  /// Deep pixels and those of single ones are computed without a question.
  std::size_t pixels_at_a_time(const job::ImageSpec& image) const {
    const bool asks = !image.deep() && set_.lanes > 1;
    if (work_.unwanted && !asks) return kInterruptiblePixels;
    return image.deep() ? std::numeric_limits<std::int32_t>::max() : kBandPixels;
  }

  BlockCounts render_part(const job::ImageSpec& image, const base::PixelRect& rect,
                          const BlockBuffers& out) {
    if (image.deep()) return render_deep_block(image, rect, out, set_.advance_deep);
    return set_.render[image.formula.id]({image, rect, out, options_.shortcuts}, work_);
  }

  static BlockBuffers part(const job::ImageSpec& image, const BlockBuffers& out,
                           std::ptrdiff_t first) {
    const std::size_t bytes = base::element_bytes(job::iterations_type(image));
    const auto from = [&](float* field) { return field == nullptr ? nullptr : field + first; };
    return {.iterations = out.iterations + first * static_cast<std::ptrdiff_t>(bytes),
            .smooth = from(out.smooth),
            .stride_px = out.stride_px,
            .distance = from(out.distance),
            .fraction = from(out.fraction),
            .gradient_x = from(out.gradient_x),
            .gradient_y = from(out.gradient_y),
            .phase = from(out.phase)};
  }

  const PixelSet& set_;
  LaneOptions options_;
  Workspace work_;
};

class CpuDevice : public Device {
 public:
  CpuDevice(const CpuTarget& target, std::string name, int threads)
      : target_(target), threads_(threads) {
    info_.name = std::move(name);
    info_.detail =
        fmt::format("{}, {}, {}", target.name,
                    target.pixels.lanes == 1 ? std::string("no vectors of f64")
                                             : fmt::format("{} f64 a vector", target.pixels.lanes),
                    base::count_of(threads, "thread"));
  }
  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return threads_; }
  int rows_per_call(std::int64_t tile_width_px) const override {
    return static_cast<int>(std::max<std::int64_t>(kCallPixels / tile_width_px, 1));
  }
  bool takes_proofs() const override { return true; }
  std::unique_ptr<Lane> open_lane(const LaneOptions& options) const override {
    return std::make_unique<CpuLane>(target_.pixels, options);
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    return make_reducer(spec, target_);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    return make_axis_reducer(output_spec, target_);
  }
  std::unique_ptr<GroupReducer> open_group_reducer(
      const statistics::GroupSpec& group_spec) const override {
    return make_group_reducer(group_spec, target_);
  }

 private:
  const CpuTarget& target_;
  DeviceInfo info_;
  int threads_;
};

}  // namespace

std::vector<DeviceInfo> list(const Placement& placement) {
  const int threads = cpu_threads(placement, count_cores());
  std::vector<DeviceInfo> devices;
  devices.reserve(cpu_targets().size() + 1);
  devices.push_back(CpuDevice(cpu_targets().front(), "cpu", threads).info());
  for (const CpuTarget& target : cpu_targets()) {
    devices.push_back(CpuDevice(target, "cpu:" + target.name, threads).info());
  }
  return devices;
}

std::unique_ptr<Device> open(std::string_view selector, const Placement& placement) {
  const int threads = cpu_threads(placement, count_cores());
  const std::vector<CpuTarget>& targets = cpu_targets();
  if (selector.empty()) return std::make_unique<CpuDevice>(targets.front(), "cpu", threads);
  const auto target = std::ranges::find(targets, selector, &CpuTarget::name);
  if (target == targets.end()) {
    std::vector<std::string> names;
    names.reserve(targets.size());
    for (const CpuTarget& each : targets) names.push_back(each.name);
    throw base::usage_error("--device cpu:{}: this machine's instruction sets are: {}", selector,
                            base::join(names));
  }
  return std::make_unique<CpuDevice>(*target, "cpu:" + target->name, threads);
}

}  // namespace tessera::device::cpu
