// One row of the table of backends (device/select/registry.hpp).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/placement.hpp"

namespace tessera::device {

namespace gpu {
class GpuDevice;
}

struct Backend {
  std::string_view name;  ///< "cpu"
  /// Every device of this backend on this machine, usable or not (then with the reason). Takes
  /// nothing of a GPU that another rank may be about to drive: no context, no memory.
  std::vector<DeviceInfo> (*list)(const Placement&);
  /// `selector` is what follows the colon in "cpu:avx2", or "". Throws base::Error (usage for a
  /// selector that makes no sense, missing for a device that is not there).
  std::unique_ptr<Device> (*open)(std::string_view selector, const Placement&);
  /// The same of a backend whose devices are driven by code of others; null of the rest.
  std::unique_ptr<gpu::GpuDevice> (*open_gpu)(std::string_view selector,
                                              const Placement&) = nullptr;
  /// Arrays on that device, for `tessera bench`; null where there is nothing to measure.
  std::unique_ptr<BenchArrays> (*bench_arrays)(std::string_view selector,
                                               const Placement&) = nullptr;
  /// Its devices are the rank's own cores: there is nothing for the ranks of a node to share out.
  bool cores = false;
};

}  // namespace tessera::device
