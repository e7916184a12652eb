// Work on arrays that lie on a device: timed, and the answers looked at.
#pragma once

#include <string>

#include "device/probe.hpp"
#include "report/bench_report.hpp"

namespace tessera::run {

/// Adds a case for each work on arrays of so many elements to `bench`, and a problem for each wrong
/// answer. Throws device::DeviceError.
void measure_arrays(device::Probe& probe, const std::string& device, std::size_t elements,
                    int repeats, report::BenchReport& bench);

}  // namespace tessera::run
