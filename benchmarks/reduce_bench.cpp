// What `tessera reduce` does with arrays in memory, on one core and on two, beside plain vector
// sums of the same arrays: both sides in turn, so that both meet the same weather. Every case
// checks its answer against the reference before it is timed. Prints one JSON object.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/reducer.hpp"
#include "device/select/registry.hpp"
#include "plain_sum.hpp"
#include "sample_arrays.hpp"
#include "statistics/answers.hpp"

namespace {

using namespace tessera;

/// As a run of `tessera reduce` has them in the cache.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct Question {
  const char* name;
  std::vector<job::Operation> operations;
  bool squares;  ///< what is plainly added up beside it: squares too
};

struct Setting {
  const char* data_name;
  bench::Data data;
  int threads;
  int repeats;
};

std::string name_of(const Question& question, const char* type, const Setting& setting) {
  return fmt::format("{}/{}/{}/{}", question.name, type, setting.data_name, setting.threads);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Of one device, which is kept.
std::unique_ptr<device::Reducer> open_reducer(const char* name,
                                              const statistics::ReductionSpec& spec) {
  static std::map<std::string, std::unique_ptr<device::Device>> open;
  std::unique_ptr<device::Device>& one = open[name];
  if (!one) one = std::move(device::open_devices(name, {.threads = 1}).front());
  return one->open_reducer(spec);
}

template <class T>
void reduce(device::Reducer& reducer, std::span<const T> x, statistics::Partial& partial) {
  const statistics::Indexing indexing{.of = [](std::int64_t i) { return i; }};
  constexpr std::size_t kPiece = kPieceBytes / sizeof(T);
  for (std::size_t i = 0; i < x.size(); i += kPiece) {
    reducer.reduce(std::as_bytes(x.subspan(i, std::min(kPiece, x.size() - i))), indexing, partial);
  }
}

template <class T>
statistics::ReductionSpec spec_of(const Question& question) {
  const auto type = sizeof(T) == 8 ? base::ElementType::f64 : base::ElementType::f32;
  return statistics::spec_of(type, question.operations, job::NanPolicy::propagate);
}

template <class T>
void check(const Question& question, std::span<const T> x) {
  const auto spec = spec_of<T>(question);
  statistics::Partial ours;
  statistics::Partial truth;
  reduce(*open_reducer("cpu", spec), x, ours);
  reduce(*open_reducer("reference", spec), x, truth);
  for (const job::Operation operation : question.operations) {
    const auto text = [&](const statistics::Partial& all) {
      return statistics::answer(operation, all, spec.type, {.ddof = 0}).front().text;
    };
    if (text(ours) != text(truth)) throw std::runtime_error("the answer is not the reference's");
  }
}

/// Processor seconds of this thread: what neighbours take does not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of each `work(thread)` on all threads at once, in turn, `repeats` times: those of the
/// slowest thread.
template <class Plain, class Exact>
std::pair<std::vector<double>, std::vector<double>> time_in_turn(const Setting& setting,
                                                                 const Plain& plain,
                                                                 const Exact& exact) {
  std::vector<double> plain_s, exact_s;
  std::vector<double> took_s(static_cast<unsigned>(setting.threads));
  std::barrier together(setting.threads);
  const auto run = [&](int thread) {
    const auto timed = [&](const auto& work, std::vector<double>& seconds) {
      together.arrive_and_wait();
      const double start = thread_seconds();
      work(thread);
      took_s[static_cast<unsigned>(thread)] = thread_seconds() - start;
      together.arrive_and_wait();
      if (thread == 0) seconds.push_back(std::ranges::max(took_s));
    };
    for (int i = 0; i < setting.repeats; ++i) {
      timed(plain, plain_s);
      timed(exact, exact_s);
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 1; thread < setting.threads; ++thread) threads.emplace_back(run, thread);
  run(0);
  return {plain_s, exact_s};
}

template <class T>
nlohmann::json measure(const Question& question, const Setting& setting) {
  const bench::Array<T>& all = bench::array<T>(setting.data);
  check<T>(question, std::span(all).first(all.size() / 64));
  const auto part = [&](int thread) {
    const std::size_t size = all.size() / static_cast<unsigned>(setting.threads);
    return std::span(all).subspan(static_cast<unsigned>(thread) * size, size);
  };
  volatile double keep = 0;
  const auto plain = [&](int thread) {
    const std::span<const T> x = part(thread);
    keep = question.squares ? bench::plain_moments(x.data(), x.size())
                            : bench::plain_sum(x.data(), x.size());
  };
  const auto exact = [&](int thread) {
    statistics::Partial partial;
    reduce<T>(*open_reducer("cpu", spec_of<T>(question)), part(thread), partial);
    keep = partial.sum.rounded();
  };
  exact(0);  // also opens the device while there is one thread
  const auto [plain_s, exact_s] = time_in_turn(setting, plain, exact);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < plain_s.size(); ++i) ratios.push_back(plain_s[i] / exact_s[i]);
  const double bytes = static_cast<double>(all.size() * sizeof(T)) / 1e9;
  return {{"name", name_of(question, sizeof(T) == 8 ? "f8" : "f4", setting)},
          {"GB/s", bytes / median(exact_s)},
          {"plain GB/s", bytes / median(plain_s)},
          {"ratio", median(ratios)}};
}

/// Those with `filter` in their name.
nlohmann::json measure_all(int repeats, const std::string& filter) {
  using enum job::Operation;
  const Question one{"sum", {sum}, false};
  const Question five{"mean,var,min,max,argmax", {mean, var, min, max, argmax}, true};
  nlohmann::json cases = nlohmann::json::array();
  const auto add = [&](const Question& question, const Setting& setting) {
    const auto wanted = [&](const char* type) {
      return name_of(question, type, setting).find(filter) != std::string::npos;
    };
    if (wanted("f8")) cases.push_back(measure<double>(question, setting));
    if (wanted("f4")) cases.push_back(measure<float>(question, setting));
  };
  for (const int threads : {1, 2}) {
    add(one, {"normal", bench::normal, threads, repeats});
    add(one, {"fill", bench::fill, threads, repeats});
    add(one, {"spread", bench::spread_300, threads, repeats});
    add(five, {"normal", bench::normal, threads, repeats});
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  int repeats = 15;
  std::string filter;
  CLI::App app("Measures reductions of arrays in memory against plain vector sums.");
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
