// Times work on arrays in device memory, and checks the results.
#pragma once

#include <string>

#include "bench/bench_calls.hpp"
#include "device/bench_arrays.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

/// Adds to `bench` a case for each kind of work on `bench_arrays`, at their current size, and a
/// problem for each wrong result. Throws device::DeviceError.
void measure_arrays(device::BenchArrays& bench_arrays, const std::string& device,
                    const Repeats& repeats, report::BenchReport& bench);

}  // namespace tessera::bench
