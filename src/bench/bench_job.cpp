#include "bench/bench_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/values.hpp"
#include "store/outputs.hpp"

namespace tessera::bench {
namespace {

using Text = std::string_view;
using BenchOption = job::Option<BenchJob>;

/// A picture of this side has 2^40 pixels.
constexpr std::int64_t kMostSidePx = std::int64_t{1} << 20;
/// As for render.
constexpr std::int64_t kMostIterations = 0xFFFFFFFE;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// Ascending; "" is none.
std::vector<std::int64_t> parse_numbers(Text text, Text what, std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : base::split(text, ',')) {
    numbers.push_back(base::parse_integer(part, what, 1, high));
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
  option.kind = job::Kind::list;
  option.set = [=](BenchJob& job, Text text, Text what) {
    job.*member = parse_numbers(text, what, high);
  };
  option.get = [=](const BenchJob& job) { return fmt::format("{}", fmt::join(job.*member, ",")); };
  return option;
}

BenchOption whole_number(BenchOption option, int BenchJob::*member, int low, int high) {
  option.kind = job::Kind::number;
  option.set = [=](BenchJob& job, Text text, Text what) {
    job.*member = static_cast<int>(base::parse_integer(text, what, low, high));
  };
  option.get = [=](const BenchJob& job) { return std::to_string(job.*member); };
  return option;
}

BenchOption optional_path(BenchOption option, std::string BenchJob::*member) {
  option.set = [=](BenchJob& job, Text text, Text) { job.*member = text; };
  option.get = [=](const BenchJob& job) { return job.*member; };
  return option;
}

std::vector<BenchOption> make_options() {
  using job::Kind;
  using job::Scope;
  return {
      {"device", "LIST", "auto = every device of this machine, or a comma list", Scope::run,
       Kind::list,
       [](BenchJob& job, Text text, Text what) { job.device = job::parse_name(text, what); },
       [](const BenchJob& job) { return job.device; }},
      whole_number({"threads", "N", "CPU threads; 0 = all cores", Scope::run}, &BenchJob::threads,
                   0, 1024),
      numbers({"sizes", "LIST", "sides of the square pictures in pixels ('' = no pictures)",
               Scope::image},
              &BenchJob::sides_px, kMostSidePx),
      numbers({"iterations", "LIST", "steps after which a point counts as inside", Scope::image},
              &BenchJob::iterations, kMostIterations),
      numbers({"elements", "LIST", "lengths of the arrays of f64 ('' = no arrays)", Scope::image},
              &BenchJob::elements, kMostElements),
      whole_number(
          {"repeats", "N", "later calls at most; one at least, no more after 2 s", Scope::run},
          &BenchJob::repeats, 1, 1000),
      {"memory", "SIZE", "bound of the host's memory, such as 512M or 2G", Scope::run, Kind::number,
       [](BenchJob& job, Text text, Text what) {
         job.memory_bytes = job::parse_memory(text, what);
       },
       [](const BenchJob& job) { return job::format_memory(job.memory_bytes); }},
      optional_path({"report", "FILE.json", "results for machines ('' = none)", Scope::output},
                    &BenchJob::report),
      optional_path({"plot", "FILE.svg", "results as a picture ('' = none)", Scope::output},
                    &BenchJob::plot),
      {"quiet", "", "no progress and no table", Scope::run, Kind::toggle,
       [](BenchJob& job, Text, Text) { job.quiet = true; },
       [](const BenchJob&) { return std::string(); }},
  };
}

}  // namespace

std::span<const job::Option<BenchJob>> bench_options() {
  static const std::vector<BenchOption> options = make_options();
  return options;
}

void check_bench_job(const BenchJob& job) {
  if (job.sides_px.empty() && job.elements.empty()) {
    throw base::usage_error("--sizes and --elements: both are empty; nothing is left to measure");
  }
  if (job.iterations.empty()) {
    throw base::usage_error("--iterations: names no number; leave it out for 50,1000");
  }
  store::check_distinct({{"--report", job.report}, {"--plot", job.plot}});
  if (!job.report.empty()) store::check_text_output(job.report, "--report");
  if (!job.plot.empty()) store::check_text_output(job.plot, "--plot");
}

std::vector<std::pair<std::string, std::string>> describe(const BenchJob& job) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const BenchOption& option : bench_options()) {
    if (std::string value = option.get(job); !value.empty()) {
      keys.emplace_back(option.name, std::move(value));
    }
  }
  return keys;
}

}  // namespace tessera::bench
