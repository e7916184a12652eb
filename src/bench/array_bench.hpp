// Work on arrays that lie on a device: timed, and the answers looked at.
#pragma once

#include <string>

#include "device/bench_arrays.hpp"
#include "report/bench_report.hpp"

namespace tessera::bench {

/// Adds a case for each work on the arrays of `probe`, at the size that they have, to `bench`, and
/// a problem for each wrong answer. Throws device::DeviceError.
void measure_arrays(device::BenchArrays& bench_arrays, const std::string& device, int repeats,
                    report::BenchReport& bench);

}  // namespace tessera::bench
