// Printers over one BenchReport.
#pragma once

#include <string>

#include "report/bench_report.hpp"

namespace tessera::report {

/// Tables of at most 100 columns for people: pictures, the size from which on each device is faster
/// than the baseline, arrays. Below them the cases that were left out and the problems, never
/// truncated.
std::string to_table(const BenchReport& bench);
/// JSON; docs/report.md lists the keys.
std::string to_json(const BenchReport& bench);
/// An SVG picture: time over size for each number of iterations, bytes per second over elements for
/// each work on arrays. All axes are logarithmic.
std::string to_svg(const BenchReport& bench);

/// The duration of a call with three digits: "12.3 us", "1.21 ms", "5.30 s", "310 s".
std::string format_call(double seconds);

}  // namespace tessera::report
