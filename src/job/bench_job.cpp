#include "job/bench_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/run_options.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using BenchOption = Option<BenchJob>;

/// A picture of this side has 2^40 pixels.
constexpr std::int64_t kMaxSidePx = std::int64_t{1} << 20;
/// The same limit as for render.
constexpr std::int64_t kMaxBenchIterations = 0xFFFFFFFE;
constexpr std::int64_t kMaxBenchElements = std::int64_t{1} << 40;

/// Parses a list of ascending numbers; "" is an empty list.
std::vector<std::int64_t> parse_numbers(Text text, Text what, std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : base::split(text, ',')) {
    numbers.push_back(base::parse_count(part, what, 1, high));
  }
  std::ranges::sort(numbers);
  const auto twice = std::ranges::adjacent_find(numbers);
  if (twice != numbers.end()) {
    throw base::usage_error("{}: {} is named twice; once is enough", what, *twice);
  }
  return numbers;
}

BenchOption numbers(BenchOption option, std::vector<std::int64_t> BenchJob::*member,
                    std::int64_t high) {
  option.kind = Kind::list;
  return parsed(
      std::move(option), member,
      [=](Text text, Text what) { return parse_numbers(text, what, high); },
      [](const auto& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); });
}

std::vector<BenchOption> make_bench_options() {
  return {
      name<BenchJob>({"device", "LIST", "devices to compare; auto = all devices of this machine",
                      Scope::run, Kind::list},
                     &BenchJob::device),
      run_option<BenchJob>(RunOption::threads),
      numbers({"sizes", "LIST", "sides of the square pictures in pixels ('' = no pictures)",
               Scope::image},
              &BenchJob::sides_px, kMaxSidePx),
      numbers({"iterations", "LIST", "steps after which a point counts as inside the set",
               Scope::image},
              &BenchJob::iterations, kMaxBenchIterations),
      numbers({"elements", "LIST", "lengths of the f64 arrays ('' = no arrays)", Scope::image},
              &BenchJob::elements, kMaxBenchElements),
      whole_number(
          {"repeats", "N", "maximum number of repeated calls; none starts after 2 s", Scope::run},
          &BenchJob::repeats, 1, 1000),
      run_option<BenchJob>(RunOption::memory),
      run_option<BenchJob>(RunOption::device_memory),
      parsed({"within", "TIME", "time budget; sizes that would exceed it are skipped; 0 = no limit",
              Scope::run, Kind::number},
             &BenchJob::within_s, base::parse_duration),
      run_option<BenchJob>(RunOption::report),
      optional_path({"plot", "FILE.svg", "write the results as a plot ('' = none)", Scope::output},
                    &BenchJob::plot),
      run_option<BenchJob>(RunOption::quiet),
      run_option<BenchJob>(RunOption::json),
  };
}

}  // namespace

std::span<const Option<BenchJob>> bench_options() {
  static const std::vector<BenchOption> options = make_bench_options();
  return options;
}

std::vector<std::pair<std::string, std::string>> describe(const BenchJob& job) {
  return describe_options(job, bench_options());
}

}  // namespace tessera::job
