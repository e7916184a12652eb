// One row of the table of backends (device/select/registry.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/placement.hpp"
#include "device/resident_memory.hpp"

namespace tessera::device {

namespace gpu {
class GpuDevice;
}

struct Backend {
  std::string_view name;  ///< "cpu"
  /// Lists every device of this backend on this machine, unusable ones with the reason. Allocates
  /// nothing on a GPU (no context, no memory), because another rank may be about to use it.
  std::vector<DeviceInfo> (*list)(const Placement&);
  /// Opens a device. `selector` is the part after the colon in "cpu:avx2", or "". Throws
  /// base::Error (usage for an invalid selector, missing if there is no such device).
  std::unique_ptr<Device> (*open)(std::string_view selector, const Placement&);
  /// As open(), for a backend whose devices need a third-party driver; null for the others.
  std::unique_ptr<gpu::GpuDevice> (*open_gpu)(std::string_view selector,
                                              const Placement&) = nullptr;
  /// Opens the device's arrays for `tessera bench`; null if there is nothing to measure.
  std::unique_ptr<BenchArrays> (*bench_arrays)(std::string_view selector,
                                               const Placement&) = nullptr;
  /// Makes the first call of the driver, which takes longer than the next ones, so that its time is
  /// known; null if there is no driver.
  void (*start_driver)() = nullptr;
  /// The memory of the calling program at this address, when what is queued on `stream` has ended;
  /// null if there is none that this process could use.
  std::unique_ptr<ResidentMemory> (*resident_at)(const std::byte* address, void* stream) = nullptr;
  /// The devices are the rank's own CPU cores, so ranks need not share them.
  bool cores = false;
};

}  // namespace tessera::device
