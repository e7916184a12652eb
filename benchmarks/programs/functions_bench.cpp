// Time per element of the functions of kernels/functions, by instruction set, next to the C library
// and to SLEEF, if the build has it. 2048 numbers, which stay in the first cache.
//
//   functions_bench --benchmark_filter=/exp/
#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/functions/functions.hpp"
#include "sleef_functions.hpp"

namespace tessera::bench {
namespace {

using kernels::functions::Function;
using kernels::functions::FunctionRow;

constexpr std::size_t kCount = 2048;

struct Range {
  double low, high;
};

Range range_of(Function function) {
  switch (function) {
    case Function::log:
    case Function::log2:
    case Function::log10:
    case Function::log1p:
    case Function::pow:
      return {1e-3, 100};
    case Function::asin:
    case Function::acos:
      return {-1, 1};
    case Function::sin:
    case Function::cos:
    case Function::tan:
      return {-100, 100};
    case Function::tanh:
      return {-5, 5};
    default:
      return {-10, 10};
  }
}

std::vector<double> uniform(Range range, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> numbers(range.low, range.high);
  std::vector<double> values(kCount);
  for (double& value : values) value = numbers(random);
  return values;
}

double of_library(Function function, double x, double y) {
  switch (function) {
#define TS_ONE(name, Name) \
  case Function::name:     \
    return std::name(x);
#define TS_TWO(name, Name) \
  case Function::name:     \
    return std::name(x, y);
    TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO
  }
  return x;
}

/// `apply(x, y, out)` computes all values, by vectors of `set` if they are Tessera's. They must be
/// within `units` of those of the scalar code.
template <class Apply>
void measure(benchmark::State& state, const FunctionRow& row, std::int64_t set, double units,
             const Apply& apply) {
  hwy::SetSupportedTargetsForTest(set);
  const auto x = uniform(range_of(row.function), 1);
  const auto y = uniform({-10, 10}, 2);
  std::vector<double> out(kCount);
  for (auto _ : state) {
    apply(x.data(), y.data(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    const double defined = kernels::functions::call(row.function, x[i], y[i]);
    const double unit = std::fabs(defined) * 0x1p-52;
    if (std::fabs(out[i] - defined) > units * unit) state.SkipWithError("wrong values");
  }
  state.counters["ns"] = benchmark::Counter(
      kCount * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add(const FunctionRow& row, const std::string& side, double units, auto apply,
         std::int64_t set = 0) {
  benchmark::RegisterBenchmark(
      ("functions/" + std::string(row.name) + "/" + side).c_str(),
      [=](benchmark::State& state) { measure(state, row, set, units, apply); });
}

void add_vectors(const FunctionRow& row, std::int64_t set) {
  const auto apply = [=](const double* x, const double* y, double* out) {
    kernels::functions::call(row.function, x, y, out, kCount);
  };
  add(row, hwy::TargetName(set), 0, apply, set);
}

void add_loop(const FunctionRow& row, const std::string& side, double units, auto function) {
  add(row, side, units, [=](const double* x, const double* y, double* out) {
    for (std::size_t i = 0; i < kCount; ++i) out[i] = function(row.function, x[i], y[i]);
  });
}

void add_sleef([[maybe_unused]] const FunctionRow& row, [[maybe_unused]] bool avx512) {
#ifdef TESSERA_SLEEF
  const Block block = sleef_function(row.name, avx512);
  add(row, avx512 ? "SLEEF_AVX512" : "SLEEF_AVX2", 2,
      [=](const double* x, const double* y, double* out) { block(x, y, out, kCount); });
#endif
}

void add_all() {
  const std::int64_t supported = hwy::SupportedTargets();
  for (const FunctionRow& row : kernels::functions::kFunctions) {
    for (const bool avx512 : {true, false}) {
      const std::int64_t set = avx512 ? HWY_AVX3 : HWY_AVX2;
      if ((supported & set) == 0) continue;
      add_vectors(row, set);
      add_sleef(row, avx512);
    }
    add_loop(row, "scalar", 0,
             [](Function f, double x, double y) { return kernels::functions::call(f, x, y); });
    add_loop(row, "libm", 4, of_library);  // its cbrt needs more than 2
  }
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
