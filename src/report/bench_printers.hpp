// Printers over one BenchReport.
#pragma once

#include <string>

#include "report/bench_report.hpp"

namespace tessera::report {

/// Tables of at most 100 columns for people: pictures, from which size on a device pays, arrays.
/// Below them, never cut, what was left out and what is wrong.
std::string to_table(const BenchReport& bench);
/// JSON; docs/report.md lists the keys.
std::string to_json(const BenchReport& bench);
/// An SVG picture: time against size for each number of iterations, bytes a second against
/// elements for each work on arrays; all axes logarithmic.
std::string to_svg(const BenchReport& bench);

/// "12.3 us", "1.21 ms", "5.30 s", "310 s": three digits, for times that calls take.
std::string format_call(double seconds);

}  // namespace tessera::report
