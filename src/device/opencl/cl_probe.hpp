// device::BenchArrays on an OpenCL queue.
#pragma once

#include "device/bench_arrays.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

std::unique_ptr<BenchArrays> make_bench_arrays(std::shared_ptr<const OpenDevice> device);

}  // namespace tessera::device::opencl
