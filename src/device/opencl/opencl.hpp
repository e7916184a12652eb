// The OpenCL backend: devices of any vendor with fp64, including CPUs (PoCL). Drivers of NVIDIA,
// AMD and Intel, and PoCL, register with the ICD loader.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/placement.hpp"

namespace tessera::device::opencl {

/// Every device of every platform. If there is none, one entry "opencl" with the reason.
void start_driver();
std::vector<DeviceInfo> list(const Placement& placement);
/// `selector`: "P.D", as in "opencl:0.1"; "" = the first usable device, GPUs first. Throws
/// base::Error: usage for any other form, missing if the device does not exist or is not usable.
std::unique_ptr<gpu::GpuDevice> open(std::string_view selector, const Placement& placement);
std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement);

}  // namespace tessera::device::opencl
