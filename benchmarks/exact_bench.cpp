// Exact sums of one core beside plain vector sums of the same type, on arrays in memory, in one
// run. Every case checks its answer against the superaccumulator, fed one by one, before it is
// timed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "device/cpu/exact_sum.hpp"
#include "plain_sum.hpp"
#include "sample_arrays.hpp"

namespace {

using namespace tessera;
using namespace tessera::bench;
using device::cpu::SquareAccumulator;
using device::cpu::Superaccumulator;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// Processor seconds of this thread: what neighbours take does not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Both in turn, so that both meet the same weather; the time of the case is that of the exact one.
template <class Plain, class Exact>
void compare(benchmark::State& state, double bytes, const Plain& plain, const Exact& exact) {
  std::vector<double> plain_s, exact_s;
  for ([[maybe_unused]] auto _ : state) {
    const double begin = thread_seconds();
    benchmark::DoNotOptimize(plain());
    const double middle = thread_seconds();
    benchmark::DoNotOptimize(exact());
    const double end = thread_seconds();
    plain_s.push_back(middle - begin);
    exact_s.push_back(end - middle);
    state.SetIterationTime(end - middle);
  }
  state.counters["exact_GB/s"] = bytes / 1e9 / median(exact_s);
  state.counters["plain_GB/s"] = bytes / 1e9 / median(plain_s);
  state.counters["ratio"] = median(plain_s) / median(exact_s);
}

template <class T>
void sum(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  Superaccumulator checked, one_by_one;
  device::cpu::exact_sum(x, checked);
  for (T value : x) one_by_one.add(static_cast<double>(value));
  require(checked == one_by_one, "the sum differs");
  const auto exact = [&] {
    Superaccumulator to;
    device::cpu::exact_sum(x, to);
    return to.rounded();
  };
  compare(
      state, kArrayBytes, [&] { return bench::plain_sum(x.data(), x.size()); }, exact);
}

template <class T>
void moments(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  Superaccumulator checked, one_by_one;
  SquareAccumulator checked_squares, squares_one_by_one;
  device::cpu::exact_moments(x, checked, checked_squares);
  for (T value : x) {
    one_by_one.add(static_cast<double>(value));
    squares_one_by_one.add_product(static_cast<double>(value), static_cast<double>(value));
  }
  require(checked == one_by_one && checked_squares == squares_one_by_one, "the moments differ");
  const auto exact = [&] {
    Superaccumulator to;
    SquareAccumulator squares;
    device::cpu::exact_moments(x, to, squares);
    return variance(to, squares, x.size(), 0);
  };
  compare(
      state, kArrayBytes, [&] { return bench::plain_moments(x.data(), x.size()); }, exact);
}

/// Of the first half with the second.
template <class T>
void dot(benchmark::State& state) {
  const Array<T>& all = array<T>(static_cast<Data>(state.range(0)));
  const std::span<const T> x = std::span(all).first(all.size() / 2);
  const std::span<const T> y = std::span(all).last(x.size());
  SquareAccumulator checked, one_by_one;
  device::cpu::exact_dot(x, y, checked);
  for (std::size_t i = 0; i < x.size(); ++i) {
    one_by_one.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
  }
  require(checked == one_by_one, "the dot product differs");
  const auto exact = [&] {
    SquareAccumulator to;
    device::cpu::exact_dot(x, y, to);
    return to.rounded();
  };
  compare(
      state, kArrayBytes, [&] { return bench::plain_dot(x.data(), y.data(), x.size()); }, exact);
}

void every_kind(benchmark::internal::Benchmark* cases) {
  cases->ArgName("data")
      ->DenseRange(normal, with_nan)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

BENCHMARK(sum<double>)->Apply(every_kind);
BENCHMARK(moments<double>)->Apply(every_kind);
BENCHMARK(dot<double>)->Apply(every_kind);
BENCHMARK(sum<float>)->Apply(every_kind);
BENCHMARK(moments<float>)->Apply(every_kind);
BENCHMARK(dot<float>)->Apply(every_kind);

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("data", kNames);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
