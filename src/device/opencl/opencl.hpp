// The OpenCL backend: any vendor's device with fp64, CPUs included (PoCL). NVIDIA, AMD and Intel
// drivers and PoCL all offer themselves through the ICD loader.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/placement.hpp"

namespace tessera::device::opencl {

/// Every device of every platform; a row "opencl" with the reason where there is none.
std::vector<DeviceInfo> list(const Placement& placement);
/// `selector`: "P.D" as in "opencl:0.1"; "" = the first usable device, GPUs first. Throws
/// base::Error: usage for another form, missing for a device that is not there or not usable.
std::unique_ptr<gpu::GpuDevice> open(std::string_view selector, const Placement& placement);
std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement);

}  // namespace tessera::device::opencl
