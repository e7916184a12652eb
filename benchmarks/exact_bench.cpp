// Exact sums of one core beside plain vector sums of the same type, on arrays in memory, in one
// run. Every case checks its answer against the superaccumulator, fed one by one, before it is
// timed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "device/cpu/cpu.hpp"
#include "device/cpu/cpu_target.hpp"
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

/// The exact sums of the best instruction set.
template <class T>
const device::cpu::ExactSumKernels<T>& best() {
  const device::cpu::ExactSumSet& set = device::cpu::cpu_targets().front().sums;
  if constexpr (sizeof(T) == 8) {
    return set.f64;
  } else {
    return set.f32;
  }
}

template <class T>
void sum(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  Superaccumulator checked, one_by_one;
  best<T>().sum(x, checked, {});
  for (T value : x) one_by_one.add(static_cast<double>(value));
  require(checked == one_by_one, "the sum differs");
  const auto exact = [&] {
    Superaccumulator to;
    best<T>().sum(x, to, {});
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
  best<T>().moments(x, checked, checked_squares, {});
  for (T value : x) {
    one_by_one.add(static_cast<double>(value));
    squares_one_by_one.add_product(static_cast<double>(value), static_cast<double>(value));
  }
  require(checked == one_by_one && checked_squares == squares_one_by_one, "the moments differ");
  const auto exact = [&] {
    Superaccumulator to;
    SquareAccumulator squares;
    best<T>().moments(x, to, squares, {});
    return variance(to, squares, x.size(), 0);
  };
  compare(
      state, kArrayBytes, [&] { return bench::plain_moments(x.data(), x.size()); }, exact);
}

/// What `tessera reduce --op mean,var,min,max,argmax` does, a MiB at a time, beside a plain sum and
/// sum of squares.
template <class T>
void reduce(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  const statistics::ReductionSpec spec{
      .type = sizeof(T) == 8 ? base::ElementType::f64 : base::ElementType::f32,
      .sum = true,
      .squares = true,
      .extremes = true,
      .places = true};
  const auto reducer = device::cpu::make_reducer(spec, device::cpu::cpu_targets().front());
  const auto all = [&] {
    constexpr std::size_t kPiece = (std::size_t{1} << 20) / sizeof(T);
    statistics::Partial partial;
    for (std::size_t first = 0; first < x.size(); first += kPiece) {
      const auto piece = std::as_bytes(std::span(x).subspan(first, kPiece));
      const auto index = [first](std::int64_t i) { return static_cast<std::int64_t>(first) + i; };
      reducer->reduce(piece, {.of = index}, partial);
    }
    return partial;
  };
  Superaccumulator sum;
  SquareAccumulator squares;
  best<T>().moments(x, sum, squares, {});
  const statistics::Partial checked = all();
  require(checked.sum == sum && checked.squares == squares, "the moments differ");
  if (sum.nans() == 0) {
    const auto greatest = std::ranges::max_element(x);
    require(checked.at_greatest.index == greatest - x.begin() &&
                checked.greatest == statistics::key_of(static_cast<double>(*greatest)),
            "the greatest differs");
  }
  compare(
      state, kArrayBytes, [&] { return bench::plain_moments(x.data(), x.size()); },
      [&] { return all().greatest; });
}

/// Of the first half with the second.
template <class T>
void dot(benchmark::State& state) {
  const Array<T>& all = array<T>(static_cast<Data>(state.range(0)));
  const std::span<const T> x = std::span(all).first(all.size() / 2);
  const std::span<const T> y = std::span(all).last(x.size());
  SquareAccumulator checked, one_by_one;
  best<T>().dot(x, y, checked, {});
  for (std::size_t i = 0; i < x.size(); ++i) {
    one_by_one.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
  }
  require(checked == one_by_one, "the dot product differs");
  const auto exact = [&] {
    SquareAccumulator to;
    best<T>().dot(x, y, to, {});
    return to.rounded();
  };
  compare(
      state, kArrayBytes, [&] { return bench::plain_dot(x.data(), y.data(), x.size()); }, exact);
}

constexpr std::int64_t kColumns = 8192;

/// Sums along an axis of an array of that many columns, as `tessera reduce --axis` makes them.
template <class T>
std::vector<double> axis_sums(const Array<T>& x, bool of_rows, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(x.size()) / columns;
  const std::vector<bool> reduced = {!of_rows, of_rows};
  const auto order = plan::StorageOrder::last_dimension_fastest;
  const plan::Shape shape = {rows, columns};
  constexpr auto kPieceElements = static_cast<std::int64_t>((1 << 20) / sizeof(T));
  const plan::AxisPlan cut(shape, reduced,
                           plan::piece_of_axes(shape, reduced, order, kPieceElements, 8192), order);
  const statistics::OutputSpec output_spec{
      .spec = {.type = sizeof(T) == 8 ? base::ElementType::f64 : base::ElementType::f32,
               .sum = true}};
  const auto reducer =
      device::cpu::make_axis_reducer(output_spec, device::cpu::cpu_targets().front());
  std::vector<double> sums;
  for (std::int64_t t = 0; t < cut.tiles(); ++t) {
    const std::int64_t outputs = cut.tile(t).elements();
    reducer->begin(outputs);
    for (std::int64_t p = 0; p < cut.pieces_each(); ++p) {
      const plan::AxisPiece piece = cut.piece(t, p);
      const T* const first = &x[static_cast<std::size_t>(piece.box.origin[0] * columns)];
      reducer->add(std::as_bytes(std::span(first, static_cast<std::size_t>(piece.box.elements()))),
                   piece);
    }
    const std::size_t done = sums.size();
    sums.resize(done + static_cast<std::size_t>(outputs));
    const auto to = std::as_writable_bytes(std::span(sums).subspan(done));
    if (reducer->answer(job::Operation::sum, {cut.elements_each()}, to)) continue;
    statistics::OutputPartials all;
    reducer->finish(cut.elements_each(), all);
    for (std::int64_t o = 0; o < outputs; ++o) {
      sums[done + static_cast<std::size_t>(o)] = all.partial(output_spec, o).sum.rounded();
    }
  }
  return sums;
}

template <class T>
void check_axis_sums(const Array<T>& x, bool of_rows, std::int64_t columns) {
  const std::vector<double> sums = axis_sums(x, of_rows, columns);
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t terms = of_rows ? width : x.size() / width;
  for (std::size_t o = 0; o < sums.size(); o += sums.size() / 64) {
    Superaccumulator one_by_one;
    for (std::size_t i = 0; i < terms; ++i) {
      one_by_one.add(static_cast<double>(of_rows ? x[o * width + i] : x[i * width + o]));
    }
    const double wanted = one_by_one.rounded();
    require(sums[o] == wanted || (sums[o] != sums[o] && wanted != wanted), "an axis sum differs");
  }
}

template <class T>
void axis_0(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  check_axis_sums(x, false, kColumns);
  std::vector<T> plain(kColumns);
  compare(
      state, kArrayBytes,
      [&] {
        bench::plain_column_sums(x.data(), x.size() / kColumns, kColumns, plain.data());
        return plain[0];
      },
      [&] { return axis_sums(x, false, kColumns)[0]; });
}

template <class T>
void last_axis(benchmark::State& state) {
  const Array<T>& x = array<T>(static_cast<Data>(state.range(0)));
  const auto columns = static_cast<std::int64_t>(state.range(1));
  check_axis_sums(x, true, columns);
  std::vector<double> plain(x.size() / static_cast<std::size_t>(columns));
  compare(
      state, kArrayBytes,
      [&] {
        for (std::size_t row = 0; row < plain.size(); ++row) {
          plain[row] = bench::plain_sum(&x[row * static_cast<std::size_t>(columns)],
                                        static_cast<std::size_t>(columns));
        }
        return plain[0];
      },
      [&] { return axis_sums(x, true, columns)[0]; });
}

void every_kind(benchmark::internal::Benchmark* cases) {
  cases->ArgName("data")
      ->DenseRange(normal, with_nan)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

BENCHMARK(sum<double>)->Apply(every_kind);
BENCHMARK(moments<double>)->Apply(every_kind);
BENCHMARK(reduce<double>)->Apply(every_kind);
BENCHMARK(dot<double>)->Apply(every_kind);
BENCHMARK(sum<float>)->Apply(every_kind);
BENCHMARK(moments<float>)->Apply(every_kind);
BENCHMARK(reduce<float>)->Apply(every_kind);
BENCHMARK(dot<float>)->Apply(every_kind);

BENCHMARK(axis_0<double>)->Apply(every_kind);
BENCHMARK(axis_0<float>)->Apply(every_kind);

void every_kind_and_length(benchmark::internal::Benchmark* cases) {
  cases->ArgNames({"data", "columns"})->Unit(benchmark::kMillisecond)->UseManualTime();
  for (int data = normal; data <= with_nan; ++data) cases->Args({data, kColumns});
  cases->Args({normal, 1024})->Args({normal, 128});
}

BENCHMARK(last_axis<double>)->Apply(every_kind_and_length);
BENCHMARK(last_axis<float>)->Apply(every_kind_and_length);

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("data", kNames);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
