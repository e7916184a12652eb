#include "device/registry.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cuda/cuda.hpp"
#include "device/opencl/opencl.hpp"
#include "device/reference/reference.hpp"

namespace tessera::device {

namespace {

constexpr std::array kBackends = {
#ifdef TESSERA_CUDA
    Backend{"cuda", &cuda::list, &cuda::open, &cuda::probe},
#endif
    Backend{"cpu", &cpu::list, &cpu::open},
    Backend{"opencl", &opencl::list, &opencl::open, &opencl::probe},
    Backend{"reference", &reference::list, &reference::open},
};

/// Backends that exist in Tessera; one that is not in kBackends was left out of this build.
constexpr std::array<std::string_view, 4> kKnownNames = {"cpu", "reference", "cuda", "opencl"};

constexpr std::string_view kAuto = "auto";

struct Choice {
  const Backend* backend;
  std::string selector;
};

std::string names_of_this_build() {
  std::vector<std::string> names;
  names.reserve(kBackends.size());
  for (const Backend& backend : kBackends) names.emplace_back(backend.name);
  return base::join(names);
}

const Backend& find_backend(const std::string& name) {
  // The CPU is the best that this table offers to every rank.
  const std::string_view wanted = name == kAuto ? std::string_view("cpu") : std::string_view(name);
  const auto found = std::ranges::find(kBackends, wanted, &Backend::name);
  if (found != kBackends.end()) return *found;
  if (std::ranges::find(kKnownNames, wanted) != kKnownNames.end()) {
    throw base::missing_error("--device {0}: this build has no {0}; it has: {1}", name,
                              names_of_this_build());
  }
  std::vector<std::string> candidates(kKnownNames.begin(), kKnownNames.end());
  candidates.emplace_back(kAuto);
  const std::string near = base::nearest(name, candidates);
  if (!near.empty()) {
    throw base::usage_error("--device {}: unknown device; did you mean '{}'?", name, near);
  }
  throw base::usage_error("--device {}: unknown device; this build has: {}", name,
                          names_of_this_build());
}

std::vector<Choice> parse(std::string_view list) {
  std::vector<Choice> choices;
  for (const std::string& entry : base::split(list, ',')) {
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    const std::string name = entry.substr(0, colon);
    const std::string selector = colon < entry.size() ? entry.substr(colon + 1) : "";
    const Backend& backend = find_backend(name);
    if (colon < entry.size() && (selector.empty() || name == kAuto)) {
      throw base::usage_error("--device {}: '{}' cannot be followed by ':{}'", entry, name,
                              selector);
    }
    choices.push_back({&backend, selector});
  }
  if (choices.empty()) {
    throw base::usage_error("--device: no device given; this build has: {}, {}", kAuto,
                            names_of_this_build());
  }
  return choices;
}

}  // namespace

std::span<const Backend> backends() {
  return kBackends;
}

std::vector<DeviceInfo> absent_backends() {
  std::vector<DeviceInfo> absent;
  for (const std::string_view name : kKnownNames) {
    if (std::ranges::find(kBackends, name, &Backend::name) != kBackends.end()) continue;
    absent.push_back({std::string(name), "", "not in this build"});
  }
  return absent;
}

std::vector<std::unique_ptr<Device>> open_devices(std::string_view list,
                                                  const Placement& placement) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const Choice& choice : parse(list)) {
    devices.push_back(choice.backend->open(choice.selector, placement));
  }
  return devices;
}

void check_device_list(std::string_view list) {
  parse(list);
}

}  // namespace tessera::device
