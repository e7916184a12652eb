#include "device/process/isolated_device.hpp"

#include "device/gpu/gpu_device.hpp"
#include "device/process/remote_array_stream.hpp"
#include "device/process/remote_meter.hpp"
#include "device/process/remote_stream.hpp"

namespace tessera::device::process {

std::unique_ptr<Device> open_isolated(const std::string& device, const Placement& placement,
                                      const Isolation& isolation,
                                      std::shared_ptr<DriverProcess> process) {
  const auto supervisor =
      std::make_shared<Supervisor>(device, placement, isolation, std::move(process));
  return std::make_unique<gpu::GpuDevice>(
      supervisor->info(), supervisor->lanes(), placement.device_memory_bytes,
      [supervisor] { return open_remote_stream(supervisor); },
      [supervisor] { return open_remote_array_stream(supervisor); }, supervisor->opening(),
      [supervisor] { return std::make_unique<RemoteMeter>(supervisor); });
}

}  // namespace tessera::device::process
