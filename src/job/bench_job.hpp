// A job of `tessera bench`: its options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

/// The inherited device "auto" means every usable device of the machine.
struct BenchJob : RunSpec {
  std::vector<std::int64_t> sides_px{500, 2500, 5000, 10000, 15000};
  std::vector<std::int64_t> iterations{50, 1000};
  std::vector<std::int64_t> elements{10'000, 100'000, 1'000'000, 10'000'000, 30'000'000};
  int repeats = 9;
  double within_s = 30;  ///< time limit; 0 = none
  std::string plot;
};

/// bench::check_bench_job() checks combinations of options.
std::span<const Option<BenchJob>> bench_options();

/// The job as text, for the report.
std::vector<std::pair<std::string, std::string>> describe(const BenchJob& job);

}  // namespace tessera::job
