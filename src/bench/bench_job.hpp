// What `tessera bench` measures, as its options say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/options.hpp"

namespace tessera::bench {

struct BenchJob {
  std::string device = "auto";  ///< every usable device of the machine, or names
  int threads = 0;
  std::vector<std::int64_t> sides_px{500, 2500, 5000, 10000, 15000};
  std::vector<std::int64_t> iterations{50, 1000};
  std::vector<std::int64_t> elements{10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  int repeats = 9;
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
  bool quiet = false;
  std::string report;
  std::string plot;
};

/// What is applied is checked one by one; check_bench_job() says what several say together.
std::span<const job::Option<BenchJob>> bench_options();

/// Usage errors: nothing to measure, one output replacing the other, no folder for an output.
void check_bench_job(const BenchJob& job);

/// The job as text, for the report.
std::vector<std::pair<std::string, std::string>> describe(const BenchJob& job);

}  // namespace tessera::bench
