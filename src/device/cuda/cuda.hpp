// The CUDA backend. The runtime is linked statically and looks for the driver at the first call, so
// the same binary starts on machines without one.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/bench_arrays.hpp"
#include "device/device.hpp"
#include "device/gpu/gpu_device.hpp"
#include "device/placement.hpp"

namespace tessera::device::cuda {

void start_driver();
/// Every device that CUDA_VISIBLE_DEVICES shows to this process, including MIG instances. If there
/// is none, one entry "cuda" with the reason.
std::vector<DeviceInfo> list(const Placement& placement);
/// `selector`: a number, as in "cuda:1"; "" = 0. Throws base::Error: usage for any other form,
/// missing if there is no such device.
std::unique_ptr<gpu::GpuDevice> open(std::string_view selector, const Placement& placement);
std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement);

}  // namespace tessera::device::cuda
