// The one table of backends. A backend that this build lacks is absent from it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/select/assignment.hpp"

namespace tessera::device {

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
std::unique_ptr<BenchArrays> open_bench_arrays(const std::string& name, const Placement&);

/// Backends that Tessera has and this build lacks, each with the reason.
std::vector<DeviceInfo> absent_backends();

}  // namespace tessera::device
