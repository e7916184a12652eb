// The table of backends. A backend that this build lacks is absent.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/select/assignment.hpp"

namespace tessera::device {

namespace process {
class DriverProcess;
}

/// In order of preference, for devices that several backends show.
std::span<const Backend> backends();

/// Parses a --device list. Throws a usage error for an unknown name (with the nearest known one)
/// and for a repeated entry, a missing error for a backend that this build lacks.
std::vector<Wanted> parse_device_list(std::string_view list);

/// Opens the named devices ("cpu", "cpu:avx2,cuda:1"). There is no silent fallback. `auto` is not
/// allowed here, because it depends on the other ranks of the node; choose() resolves it. `process`
/// drives the first device that needs one; null = one is started for it, as for each of the others.
std::vector<std::unique_ptr<Device>> open_devices(
    std::string_view list, const Placement&, const Isolation& isolation = {},
    std::shared_ptr<process::DriverProcess> process = nullptr);

/// Opens a device of a GPU backend in this process. Throws as open_devices().
std::unique_ptr<gpu::GpuDevice> open_gpu(const std::string& name, const Placement&);

/// Opens the benchmark arrays of a device; null if its backend has none. Throws as open_devices().
std::unique_ptr<BenchArrays> open_bench_arrays(const std::string& name, const Placement&);

/// The memory of the calling program at this address, as Backend::resident_at(). Throws a usage
/// error if this build lacks the backend.
std::unique_ptr<ResidentMemory> resident_at(const std::string& backend, const std::byte* address,
                                            void* stream);

/// How the cores of this machine advance pixels of deep images fastest.
const deep::Advance& fastest_advance();
/// How they finish pixels of exact images fastest.
FinishExact fastest_finish();

/// The backends that this build lacks, each with the reason.
std::vector<DeviceInfo> absent_backends();

}  // namespace tessera::device
