// What `tessera reduce` does with arrays in memory, on one core and on two, beside plain vector
// loops over the same arrays. Every case checks its answer against the reference before it is
// timed. Prints one JSON object.
//
// A case is QUESTION/TYPE/DATA/THREADS. Questions: sum, var, mean,var,min,max,argmax, dot (of the
// two halves), axis 0, last axis, last axis of 1024, last axis of 128 (of 8192 columns without a
// number). Data: see kData. Without --filter, a few cases of the first kinds are measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "device/axis_reducer.hpp"
#include "device/reducer.hpp"
#include "device/select/registry.hpp"
#include "plain_loops.hpp"
#include "processor_time.hpp"
#include "sample_arrays.hpp"
#include "statistics/operations.hpp"

namespace {

using namespace tessera;
using enum job::Operation;

/// As a run of `tessera reduce` has them in the cache.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::int64_t kTileOutputs = 8192;

constexpr std::array<std::pair<const char*, bench::Data>, 8> kData = {
    {{"normal", bench::normal},
     {"uniform", bench::uniform},
     {"lognormal", bench::lognormal},   // of s = 3
     {"fill", bench::fill},             // normal with 0.1 % of 9.97e36
     {"spread40", bench::spread_40},    // 2^+-40
     {"spread100", bench::spread_100},  // 2^+-100; f4: 60
     {"spread", bench::spread_300},     // 2^+-300; f4: 100
     {"nan", bench::with_nan}}};        // normal with 1 % NaN

struct Setting {
  std::string_view data_name;
  bench::Data data;
  int threads;
  int repeats;
};

template <class T>
constexpr base::ElementType kType = sizeof(T) == 8 ? base::ElementType::f64
                                                   : base::ElementType::f32;

/// Kept open.
const device::Device& device_named(const char* name) {
  static std::map<std::string, std::unique_ptr<device::Device>> open;
  std::unique_ptr<device::Device>& one = open[name];
  if (!one) one = std::move(device::open_devices(name, {.threads = 1}).front());
  return *one;
}

/// Operations on a whole array.
struct WholeArray {
  const char* name;
  std::vector<job::Operation> operations;

  bool has(job::Operation operation) const {
    return std::ranges::find(operations, operation) != operations.end();
  }

  template <class T>
  statistics::ReductionSpec spec() const {
    auto all = statistics::spec_of(kType<T>, operations, job::NanPolicy::propagate);
    all.with_type = kType<T>;
    return all;
  }

  template <class T>
  double plain(std::span<const T> x) const {
    const bench::PlainLoops<T>& loops = bench::plain_loops<T>();
    if (has(dot)) return loops.dot(x.data(), x.data() + x.size() / 2, x.size() / 2);
    return has(var) ? loops.moments(x.data(), x.size()) : loops.sum(x.data(), x.size());
  }

  template <class T>
  statistics::Partial exact(const char* device, std::span<const T> x) const {
    const statistics::ReductionSpec all = spec<T>();
    const auto reducer = device_named(device).open_reducer(all);
    const statistics::Indexing indexing{.of = [](std::int64_t i) { return i; }};
    constexpr std::size_t kPiece = kPieceBytes / sizeof(T);
    statistics::Partial partial;
    const std::size_t size = has(dot) ? x.size() / 2 : x.size();
    for (std::size_t i = 0; i < size; i += kPiece) {
      const std::size_t count = std::min(kPiece, size - i);
      const auto piece = std::as_bytes(x.subspan(i, count));
      if (has(dot)) {
        reducer->add_pairs(piece, std::as_bytes(x.subspan(size + i, count)), all, partial.pairs);
      } else {
        reducer->reduce(piece, indexing, partial);
      }
    }
    return partial;
  }

  template <class T>
  void check(std::span<const T> x) const {
    const statistics::Partial ours = exact("cpu", x);
    const statistics::Partial truth = exact("reference", x);
    for (const job::Operation operation : operations) {
      const auto text = [&](const statistics::Partial& all) {
        return statistics::answer(operation, all, spec<T>(), 0).front().text;
      };
      if (text(ours) != text(truth)) throw std::runtime_error("the answer is not the reference's");
    }
  }
};

/// Sums along an axis of a matrix.
struct AlongAxis {
  const char* name;
  bool of_rows;
  std::int64_t columns;

  std::size_t width() const { return static_cast<std::size_t>(columns); }

  template <class T>
  std::vector<T> plain(std::span<const T> x) const {
    const bench::PlainLoops<T>& loops = bench::plain_loops<T>();
    const std::size_t rows = x.size() / width();
    std::vector<T> sums(of_rows ? rows : width());
    if (!of_rows) {
      loops.column_sums(x.data(), rows, width(), sums.data());
    } else {
      for (std::size_t row = 0; row < rows; ++row) {
        sums[row] = static_cast<T>(loops.sum(&x[row * width()], width()));
      }
    }
    return sums;
  }

  /// As `tessera reduce --axis` makes them.
  template <class T>
  std::vector<double> exact(const char* device, std::span<const T> x) const {
    const std::vector<bool> reduced = {!of_rows, of_rows};
    const auto order = plan::StorageOrder::last_dimension_fastest;
    const plan::Shape shape = {static_cast<std::int64_t>(x.size()) / columns, columns};
    constexpr auto kPiece = static_cast<std::int64_t>(kPieceBytes / sizeof(T));
    const plan::AxisPlan cut(
        shape, reduced, plan::piece_of_axes(shape, reduced, order, kPiece, kTileOutputs), order);
    const statistics::OutputSpec spec{.spec = {.type = kType<T>, .sum = true}};
    const auto reducer = device_named(device).open_axis_reducer(spec);
    std::vector<double> sums;
    for (std::int64_t tile = 0; tile < cut.tiles(); ++tile)
      add_tile(cut, tile, spec, x, *reducer, sums);
    return sums;
  }

  template <class T>
  void check(std::span<const T> x) const {
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::ranges::equal(exact("cpu", x), exact("reference", x), same)) {
      throw std::runtime_error("a sum along an axis is not the reference's");
    }
  }

 private:
  template <class T>
  void add_tile(const plan::AxisPlan& cut, std::int64_t tile, const statistics::OutputSpec& spec,
                std::span<const T> x, device::AxisReducer& reducer,
                std::vector<double>& sums) const {
    const std::int64_t outputs = cut.tile(tile).elements();
    reducer.begin(outputs);
    for (std::int64_t p = 0; p < cut.pieces_each(); ++p) {
      const plan::AxisPiece piece = cut.piece(tile, p);
      const auto first = static_cast<std::size_t>(piece.box.origin[0] * columns);
      const auto count = static_cast<std::size_t>(piece.box.elements());
      reducer.add(std::as_bytes(x.subspan(first, count)), piece);
    }
    reducer.end();
    const std::size_t done = sums.size();
    sums.resize(done + static_cast<std::size_t>(outputs));
    const std::span<double> mine = std::span(sums).subspan(done);
    if (reducer.answer(sum, {cut.elements_each()}, std::as_writable_bytes(mine))) return;
    statistics::OutputPartials all;
    reducer.finish(cut.elements_each(), all);
    for (std::int64_t o = 0; o < outputs; ++o) {
      mine[static_cast<std::size_t>(o)] = all.partial(spec, o).sum.rounded();
    }
  }
};

/// Both on all threads at once, in turn: the seconds of the slowest thread.
bench::Pairs time_in_turn(const Setting& setting, const std::function<void(int)>& plain,
                          const std::function<void(int)>& exact) {
  bench::Pairs pairs;
  std::vector<double> took_s(static_cast<unsigned>(setting.threads));
  std::barrier together(setting.threads);
  const auto run = [&](int thread) {
    const auto timed = [&](const auto& work, std::vector<double>& seconds) {
      together.arrive_and_wait();
      took_s[static_cast<unsigned>(thread)] = bench::seconds_of([&] { work(thread); });
      together.arrive_and_wait();
      if (thread == 0) seconds.push_back(std::ranges::max(took_s));
    };
    for (int i = 0; i < setting.repeats; ++i) {
      timed(plain, pairs.plain_s);
      timed(exact, pairs.own_s);
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 1; thread < setting.threads; ++thread) threads.emplace_back(run, thread);
  run(0);
  return pairs;
}

template <class T, class Question>
nlohmann::json measure(const std::string& name, const Question& question, const Setting& setting) {
  const bench::Array<T>& all = bench::array<T>(setting.data);
  const std::span<const T> x(all);
  question.check(x.first(x.size() / 64));
  const auto part = [&](int thread) {
    const std::size_t size = x.size() / static_cast<unsigned>(setting.threads);
    return x.subspan(static_cast<unsigned>(thread) * size, size);
  };
  question.exact("cpu", part(0));  // opens the device while there is one thread
  const bench::Pairs pairs = time_in_turn(
      setting, [&](int thread) { question.plain(part(thread)); },
      [&](int thread) { question.exact("cpu", part(thread)); });
  const double gigabytes = static_cast<double>(all.size() * sizeof(T)) / 1e9;
  return {{"name", name},
          {"GB/s", gigabytes / bench::median(pairs.own_s)},
          {"plain GB/s", gigabytes / bench::median(pairs.plain_s)},
          {"ratio", pairs.ratio()}};
}

class Cases {
 public:
  Cases(int repeats, std::string filter) : repeats_(repeats), filter_(std::move(filter)) {}

  /// Measures those of a question whose names match, of one thread and of two. Without a filter,
  /// only data that are `usual`.
  template <class Question>
  void add(const Question& question, std::initializer_list<std::string_view> usual) {
    for (const int threads : {1, 2}) {
      for (const auto& [data_name, data] : kData) {
        if (filter_.empty() && std::ranges::find(usual, data_name) == usual.end()) continue;
        add_types(question, {data_name, data, threads, repeats_});
      }
    }
  }

  const nlohmann::json& found() const { return found_; }

 private:
  template <class Question>
  void add_types(const Question& question, const Setting& setting) {
    const auto name_of = [&](const char* type) {
      return fmt::format("{}/{}/{}/{}", question.name, type, setting.data_name, setting.threads);
    };
    const auto matches = [&](const std::string& name) {
      return name.find(filter_) != std::string::npos;
    };
    if (const auto name = name_of("f8"); matches(name)) {
      found_.push_back(measure<double>(name, question, setting));
    }
    if (const auto name = name_of("f4"); matches(name)) {
      found_.push_back(measure<float>(name, question, setting));
    }
  }

  int repeats_;
  std::string filter_;
  nlohmann::json found_ = nlohmann::json::array();
};

nlohmann::json measure_all(int repeats, const std::string& filter) {
  Cases cases(repeats, filter);
  cases.add(WholeArray{"sum", {sum}}, {"normal", "fill", "spread"});
  cases.add(WholeArray{"mean,var,min,max,argmax", {mean, var, min, max, argmax}}, {"normal"});
  if (filter.empty()) return cases.found();
  cases.add(WholeArray{"var", {var}}, {});
  cases.add(WholeArray{"dot", {dot}}, {});
  cases.add(AlongAxis{"axis 0", false, 8192}, {});
  cases.add(AlongAxis{"last axis", true, 8192}, {});
  cases.add(AlongAxis{"last axis of 1024", true, 1024}, {});
  cases.add(AlongAxis{"last axis of 128", true, 128}, {});
  return cases.found();
}

}  // namespace

int main(int argc, char** argv) {
  int repeats = 15;
  std::string filter;
  CLI::App app("Measures reductions of arrays in memory against plain vector loops.");
  app.add_option("--repeats", repeats, "pairs per case, default 15")->check(CLI::PositiveNumber);
  app.add_option("--filter", filter, "part of the name of a case, as in sum/f8/normal/2");
  CLI11_PARSE(app, argc, argv);
  try {
    fmt::print("{}\n", nlohmann::json{{"cases", measure_all(repeats, filter)}}.dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "reduce_bench: {}\n", error.what());
    return 4;
  }
}
