// device::BenchArrays on a CUDA stream.
#pragma once

#include <memory>

#include "device/bench_arrays.hpp"
#include "device/gpu/queue/memory_budget.hpp"

namespace tessera::device::cuda {

std::unique_ptr<BenchArrays> make_bench_arrays(int device,
                                               std::shared_ptr<gpu::MemoryBudget> budget);

}  // namespace tessera::device::cuda
