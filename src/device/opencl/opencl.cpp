#include "device/opencl/opencl.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "device/host/cpu_threads.hpp"
#include "device/opencl/cl_array_stream.hpp"
#include "device/opencl/cl_probe.hpp"
#include "device/opencl/cl_stream.hpp"

namespace tessera::device::opencl {
namespace {

/// A CPU device uses all cores for one tile: one tile is computed while another one is copied out.
constexpr int kCpuTypeLanes = 2;

int lanes_of(const DeviceInfo& info, const Placement& placement) {
  return info.is_gpu ? gpu_lanes(placement) : kCpuTypeLanes;
}

FoundDevice select(std::string_view selector) {
  std::string reason;
  const std::vector<FoundDevice> found = find_devices(reason);
  if (found.empty()) throw base::missing_error("--device opencl: {}", reason);
  if (selector.empty()) {
    const auto better = [](const FoundDevice& a, const FoundDevice& b) {
      const auto rank = [](const FoundDevice& device) {
        return std::pair(device.info.reason.empty(), device.info.is_gpu);
      };
      return rank(a) < rank(b);
    };
    const FoundDevice& best = *std::ranges::max_element(found, better);
    if (best.info.reason.empty()) return best;
    throw base::missing_error("--device opencl: {} ({}) cannot be used: {}", best.info.name,
                              best.info.detail, best.info.reason);
  }
  const std::string name = "opencl:" + std::string(selector);
  const auto named =
      std::ranges::find(found, name, [](const FoundDevice& device) { return device.info.name; });
  if (named == found.end()) {
    const auto well_formed = selector.find_first_not_of("0123456789.") == std::string_view::npos &&
                             std::ranges::count(selector, '.') == 1;
    if (!well_formed) {
      throw base::usage_error(
          "--device {}: a device of OpenCL is opencl:PLATFORM.DEVICE, "
          "for example {}",
          name, found.front().info.name);
    }
    throw base::missing_error(
        "--device {}: there is no such device; tessera devices lists those "
        "that are there",
        name);
  }
  if (!named->info.reason.empty()) {
    throw base::missing_error("--device {}: {} cannot be used: {}", name, named->info.detail,
                              named->info.reason);
  }
  return *named;
}

}  // namespace

/// Loads the drivers of all platforms.
void start_driver() {
  std::string reason;
  cl_uint count = 0;
  if (const Api* const cl = find_api(reason)) cl->clGetPlatformIDs(0, nullptr, &count);
}

std::vector<DeviceInfo> list(const Placement& placement) {
  std::string reason;
  std::vector<DeviceInfo> infos;
  for (FoundDevice& found : find_devices(reason)) {
    found.info.lanes = lanes_of(found.info, placement);
    infos.push_back(std::move(found.info));
  }
  if (infos.empty()) infos.push_back({.name = "opencl", .reason = reason});
  return infos;
}

std::unique_ptr<gpu::GpuDevice> open(std::string_view selector, const Placement& placement) {
  const auto device =
      std::make_shared<const OpenDevice>(api(), select(selector), placement.device_memory_bytes);
  const DeviceInfo& info = device->found.info;
  return std::make_unique<gpu::GpuDevice>(
      info, lanes_of(info, placement), placement.device_memory_bytes,
      [device] { return open_pixel_stream(device); },
      [device] { return open_array_stream(device); }, device->opening);
}

std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement) {
  return make_bench_arrays(
      std::make_shared<const OpenDevice>(api(), select(selector), placement.device_memory_bytes));
}

}  // namespace tessera::device::opencl
