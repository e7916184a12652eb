#include "bench/array_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"

namespace tessera::bench {
namespace {

using report::ArrayWork;

/// The values for copies: neighbours differ, and no value occurs in a, b or their sum.
double carried(std::size_t i) {
  return static_cast<double>(i) + 0.5;
}

double a_plus_b(std::size_t i) {
  return static_cast<double>(i % 1024 + 3 * (i % 512));
}

/// The sum of a[i] = i mod 1024: an integer below 2^53 for every valid --elements.
double sum_of_a(std::size_t elements) {
  const std::size_t rest = elements % 1024;
  const std::size_t whole = elements / 1024;
  const std::size_t twice = whole * 1023 * 1024 + rest * rest - rest;
  return static_cast<double>(twice) / 2;
}

bool is_all(std::span<const double> values, double (*expected)(std::size_t)) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != expected(i)) return false;
  }
  return true;
}

}  // namespace

void measure_arrays(device::BenchArrays& bench_arrays, const std::string& device,
                    const Repeats& repeats, report::BenchReport& bench) {
  const std::span<double> host = bench_arrays.host();
  const std::size_t elements = host.size();
  const auto measure = [&](ArrayWork work, auto call) {
    bench.arrays.push_back({device, elements, work, time_calls(0, repeats, call)});
  };
  const auto expect = [&](bool right, std::string_view what) {
    if (right) return;
    bench.problems.push_back(
        fmt::format("{}: {} of {} is wrong", device, what,
                    base::count_of(static_cast<std::int64_t>(elements), "element")));
  };
  measure(ArrayWork::add, [&] { bench_arrays.add(); });
  bench_arrays.copy_from_device();
  expect(is_all(host, a_plus_b), "a + b");

  bool sums_right = true;
  const double sum = sum_of_a(elements);
  measure(ArrayWork::sum, [&] { sums_right = bench_arrays.sum() == sum && sums_right; });
  expect(sums_right, "the sum");

  for (std::size_t i = 0; i < elements; ++i) host[i] = carried(i);
  measure(ArrayWork::to_device, [&] { bench_arrays.copy_to_device(); });
  std::ranges::fill(host, -1);
  measure(ArrayWork::from_device, [&] { bench_arrays.copy_from_device(); });
  expect(is_all(host, carried), "a copy there and back");
}

}  // namespace tessera::bench
