#include "device/select/registry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cpu/cpu_target.hpp"
#include "device/cpu/open_pixels.hpp"
#include "device/cuda/cuda.hpp"
#include "device/cuda/cuda_resident.hpp"
#include "device/opencl/opencl.hpp"
#include "device/process/isolated_device.hpp"
#include "device/reference/reference.hpp"

namespace tessera::device {

namespace {

/// Adapts the return type to Device.
template <auto open>
std::unique_ptr<Device> open_plain(std::string_view selector, const Placement& placement) {
  return open(selector, placement);
}

constexpr std::array kBackends = {
#ifdef TESSERA_CUDA
    Backend{.name = "cuda",
            .list = &cuda::list,
            .open = &open_plain<&cuda::open>,
            .open_gpu = &cuda::open,
            .bench_arrays = &cuda::bench_arrays,
            .start_driver = &cuda::start_driver,
            .resident_at = &cuda::resident_at},
#endif
    Backend{.name = "cpu",
            .list = &cpu::list,
            .open = &cpu::open,
            .bench_arrays = &cpu::bench_arrays,
            .cores = true},
#ifdef TESSERA_OPENCL
    Backend{.name = "opencl",
            .list = &opencl::list,
            .open = &open_plain<&opencl::open>,
            .open_gpu = &opencl::open,
            .bench_arrays = &opencl::bench_arrays,
            .start_driver = &opencl::start_driver},
#endif
    Backend{.name = "reference", .list = &reference::list, .open = &reference::open, .cores = true},
};

/// All backends of Tessera. One that is missing in kBackends was excluded from this build.
constexpr std::array<std::string_view, 4> kKnownNames = {"cpu", "reference", "cuda", "opencl"};

std::string names_of_this_build() {
  std::vector<std::string> names;
  names.reserve(kBackends.size());
  for (const Backend& backend : kBackends) names.emplace_back(backend.name);
  return base::join(names);
}

const Backend& find_backend(const std::string& name) {
  const auto found = std::ranges::find(kBackends, name, &Backend::name);
  if (found != kBackends.end()) return *found;
  if (std::ranges::find(kKnownNames, name) != kKnownNames.end()) {
    throw base::missing_error("--device {0}: this build has no {0}; it has: {1}", name,
                              names_of_this_build());
  }
  std::vector<std::string> candidates(kKnownNames.begin(), kKnownNames.end());
  candidates.emplace_back(kAuto);
  candidates.emplace_back(kAnyGpu);
  const std::string near = base::nearest(name, candidates);
  if (!near.empty()) {
    throw base::usage_error("--device {}: unknown device; did you mean '{}'?", name, near);
  }
  throw base::usage_error("--device {}: unknown device; this build has: {}", name,
                          names_of_this_build());
}

/// Splits "cpu:avx2" into name and selector.
std::pair<std::string, std::string> split_device_name(const std::string& entry) {
  const std::size_t colon = std::min(entry.find(':'), entry.size());
  const std::string name = entry.substr(0, colon);
  const std::string selector = colon < entry.size() ? entry.substr(colon + 1) : "";
  if (colon < entry.size() && (selector.empty() || name == kAuto || name == kAnyGpu)) {
    throw base::usage_error("--device {}: '{}' cannot be followed by ':{}'", entry, name, selector);
  }
  return {name, selector};
}

Wanted parse_entry(const std::string& entry) {
  const auto [name, selector] = split_device_name(entry);
  if (name == kAuto) return {Wanted::Kind::automatic, entry};
  if (name == kAnyGpu) return {Wanted::Kind::any_of, entry};
  const Backend& backend = find_backend(name);
  if (!backend.cores && selector.find_first_not_of("0123456789.") != selector.npos) {
    throw base::usage_error(
        "--device {}: '{}' is not the number of a device, as in cuda:0 or opencl:0.1", entry,
        selector);
  }
  const bool any = !backend.cores && selector.empty();
  return {any ? Wanted::Kind::any_of : Wanted::Kind::named, entry};
}

}  // namespace

std::span<const Backend> backends() {
  return kBackends;
}

const deep::Advance& fastest_advance() {
  return cpu::cpu_targets().front().pixels.advance_deep;
}

FinishExact fastest_finish() {
  return cpu::finish_open;
}

std::vector<DeviceInfo> absent_backends() {
  std::vector<DeviceInfo> absent;
  for (const std::string_view name : kKnownNames) {
    if (std::ranges::find(kBackends, name, &Backend::name) != kBackends.end()) continue;
    absent.push_back({std::string(name), "", "not in this build"});
  }
  return absent;
}

std::vector<Wanted> parse_device_list(std::string_view list) {
  std::vector<Wanted> requested;
  for (const std::string& entry : base::split(list, ',')) {
    if (std::ranges::find(requested, entry, &Wanted::name) != requested.end()) {
      throw base::usage_error("--device {}: '{}' is there twice", list, entry);
    }
    requested.push_back(parse_entry(entry));
  }
  if (requested.empty()) {
    throw base::usage_error("--device: no device given; this build has: {}, {}, {}", kAuto, kAnyGpu,
                            names_of_this_build());
  }
  return requested;
}

std::unique_ptr<gpu::GpuDevice> open_gpu(const std::string& device, const Placement& placement) {
  const auto [name, selector] = split_device_name(device);
  const Backend& backend = find_backend(name);
  if (backend.open_gpu == nullptr) throw base::usage_error("--device {}: is no GPU", device);
  return backend.open_gpu(selector, placement);
}

std::vector<std::unique_ptr<Device>> open_devices(std::string_view list, const Placement& placement,
                                                  const Isolation& isolation,
                                                  std::shared_ptr<process::DriverProcess> process) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const Wanted& entry : parse_device_list(list)) {
    if (entry.kind == Wanted::Kind::automatic) {
      throw base::run_error("--device {}: nobody has chosen what that is here", entry.name);
    }
    const auto [name, selector] = split_device_name(entry.name);
    const Backend& backend = find_backend(name);
    devices.push_back(isolation.on && backend.open_gpu != nullptr
                          ? process::open_isolated(entry.name, placement, isolation,
                                                   std::exchange(process, nullptr))
                          : backend.open(selector, placement));
  }
  return devices;
}

std::unique_ptr<BenchArrays> open_bench_arrays(const std::string& device,
                                               const Placement& placement) {
  const auto [name, selector] = split_device_name(device);
  const Backend& backend = find_backend(name);
  return backend.bench_arrays == nullptr ? nullptr : backend.bench_arrays(selector, placement);
}

std::unique_ptr<ResidentMemory> resident_at(const std::string& backend, const std::byte* address,
                                            void* stream) {
  const auto found = std::ranges::find(kBackends, backend, &Backend::name);
  if (found == kBackends.end() || found->resident_at == nullptr) {
    throw base::usage_error("an array in the memory of {}: this build has no {}", backend, backend);
  }
  return found->resident_at(address, stream);
}

}  // namespace tessera::device
