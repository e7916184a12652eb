// The one table of backends. A backend that this build lacks is absent from it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/choice.hpp"
#include "device/device.hpp"
#include "device/probe.hpp"

namespace tessera::device {

/// What a rank knows about its place when it chooses devices.
struct Placement {
  int node_rank = 0;   ///< number of this rank among those of its node
  int node_ranks = 1;  ///< how many ranks share the node
  int mask_rank = 0;   ///< number among those that have the same affinity mask
  int mask_ranks = 1;  ///< how many those are
  int threads = 0;     ///< CPU threads asked for; 0 = all of the affinity mask
};

namespace gpu {
class GpuDevice;
}

/// Whether and how devices that are driven by code of others get a process of their own, so that a
/// crash in there is no crash of the rank.
struct Isolation {
  bool on = false;
  /// A process that is silent for longer than its work explains, and this besides, is killed.
  double silence_s = 60;
  /// Called, in any thread, when the process of a device has ended and been started again.
  std::function<void(const std::string& device, const std::string& why)> restarted = {};
};

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
  std::unique_ptr<Probe> (*probe)(std::string_view selector, const Placement&) = nullptr;
  /// Its devices are the rank's own cores: there is nothing for the ranks of a node to share out.
  bool cores = false;
};

/// In the order of preference, where several show the same device.
std::span<const Backend> backends();

/// A --device list taken apart. Usage error for an unknown name (with the nearest one) and for an
/// entry given twice; missing error for a name that Tessera knows but this build lacks.
std::vector<Wanted> parse_device_list(std::string_view list);

/// Opens what is named ("cpu", "cpu:avx2,cuda:1"); never falls back silently. `auto` is not for
/// here: what it is depends on the other ranks of the node, and choose() says it.
std::vector<std::unique_ptr<Device>> open_devices(std::string_view list, const Placement&,
                                                  const Isolation& isolation = {});

/// One of a backend that has GPUs, in this process. Throws as open_devices().
std::unique_ptr<gpu::GpuDevice> open_gpu(const std::string& name, const Placement&);

/// Arrays on the device of that name; null from a backend that has none. Throws as open_devices().
std::unique_ptr<Probe> open_probe(const std::string& name, const Placement&);

/// Backends that Tessera has and this build lacks, each with the reason.
std::vector<DeviceInfo> absent_backends();

}  // namespace tessera::device
