// How fast a device computes pixels, as a share of what the cores allow: by their multiply-add
// pipes (an iteration takes three), and by bare steps in registers. Rows of the image are sampled,
// so that a case takes seconds; before it is timed, each case compares some of its rows with the
// reference, bit for bit.
//
//   kernel_bench --benchmark_filter=whole_set --benchmark_out=result.json
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/select/registry.hpp"
#include "fma_peak.hpp"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  std::string view;
  job::ImageSpec image;
  std::string device;
  bool shortcuts = true;
  bool smooth = false;
  int threads = 1;
  std::int64_t sampled_rows = 512;
};

constexpr std::int64_t kBlockRows = 8;
constexpr std::int64_t kBlockColumns = 512;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

using Loop = std::uint64_t (*)(std::uint64_t rounds);

/// What `threads` threads running `loop` at the same time do in a second, together.
double rate_of(Loop loop, int threads) {
  std::atomic<double> total = 0;
  const auto work = [&] {
    const Clock::time_point start = Clock::now();
    std::uint64_t done = 0;
    while (seconds_since(start) < 0.15) done += loop(100000);
    total += static_cast<double>(done) / seconds_since(start);
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  workers.clear();
  return total;
}

/// Iterations a second that the hardware allows: by its multiply-adds, and with the addition.
struct Limits {
  double by_fma = 0;
  double by_steps = 0;

  void measure(int threads) {
    by_fma = std::max(by_fma, rate_of(run_fma, threads) / 3);
    by_steps = std::max(by_steps, rate_of(run_steps, threads));
  }
};

/// A band of rows with its own buffers, tile by tile as a run does it.
class Worker {
 public:
  Worker(const Case& what, const device::Device& on)
      : image_(what.image),
        lane_(on.open_lane({what.shortcuts})),
        iterations_(kBlockRows * kBlockColumns * 4),
        smooth_(what.smooth ? kBlockRows * kBlockColumns : 0) {}

  device::BlockCounts render_rows(std::int64_t first_row) {
    device::BlockCounts counts;
    for (std::int64_t x = 0; x < image_.size_px.width; x += kBlockColumns) {
      counts += render_block(x, first_row);
    }
    return counts;
  }

  device::BlockCounts render_block(std::int64_t x, std::int64_t first_row) {
    const std::int64_t width = std::min(kBlockColumns, image_.size_px.width - x);
    const std::int64_t height = std::min(kBlockRows, image_.size_px.height - first_row);
    return lane_->render(
        image_, {x, first_row, width, height},
        {iterations_.data(), smooth_.empty() ? nullptr : smooth_.data(), kBlockColumns});
  }

  bool same_block(const Worker& other) const {
    return iterations_ == other.iterations_ &&
           (smooth_.empty() ||
            std::memcmp(smooth_.data(), other.smooth_.data(), smooth_.size() * 4) == 0);
  }

 private:
  job::ImageSpec image_;
  std::unique_ptr<device::Lane> lane_;
  std::vector<std::byte> iterations_;
  std::vector<float> smooth_;
};

std::unique_ptr<device::Device> open(const std::string& name) {
  return std::move(device::open_devices(name, {.threads = 1}).front());
}

/// Some blocks all over the image against the reference.
bool answer_is_right(const Case& what) {
  const auto device = open(what.device);
  const auto reference = open("reference");
  Worker got(what, *device);
  Worker truth(what, *reference);
  const base::ImageSize size = what.image.size_px;
  for (std::int64_t k = 0; k < 12; ++k) {
    const std::int64_t x = (size.width - kBlockColumns) * k / 11;
    const std::int64_t y = (size.height - kBlockRows) * ((k * 5) % 12) / 11;
    got.render_block(x, y);
    truth.render_block(x, y);
    if (!got.same_block(truth)) return false;
  }
  return true;
}

device::BlockCounts render_sample(const Case& what, const device::Device& on) {
  const std::int64_t bands = what.sampled_rows / kBlockRows;
  std::atomic<std::int64_t> next = 0;
  std::vector<device::BlockCounts> counts(static_cast<std::size_t>(what.threads));
  std::vector<std::jthread> threads;
  for (device::BlockCounts& mine : counts) {
    threads.emplace_back([&] {
      Worker worker(what, on);
      for (std::int64_t band = next++; band < bands; band = next++) {
        mine += worker.render_rows((what.image.size_px.height - kBlockRows) * band /
                                   std::max<std::int64_t>(bands - 1, 1));
      }
    });
  }
  threads.clear();
  device::BlockCounts total;
  for (const device::BlockCounts& one : counts) total += one;
  return total;
}

void run_case(benchmark::State& state, const Case& what) {
  if (!answer_is_right(what)) {
    state.SkipWithError("pixels differ from the reference");
    return;
  }
  const auto device = open(what.device);
  device::BlockCounts counts;
  double pixels = 0;
  Limits limits;
  limits.measure(what.threads);
  for (auto _ : state) {
    counts += render_sample(what, *device);
    pixels += static_cast<double>(what.sampled_rows * what.image.size_px.width);
  }
  limits.measure(what.threads);
  const auto rate = [](double amount) {
    return benchmark::Counter(amount, benchmark::Counter::kIsRate);
  };
  state.SetItemsProcessed(static_cast<std::int64_t>(counts.iterations));
  state.counters["executed"] = rate(static_cast<double>(counts.executed));
  state.counters["pixels"] = rate(pixels);
  state.counters["fma_limit"] = limits.by_fma;
  state.counters["step_limit"] = limits.by_steps;
  const auto iterations = static_cast<double>(counts.iterations);
  state.counters["of_fma_limit"] = rate(iterations / limits.by_fma);
  state.counters["of_step_limit"] = rate(iterations / limits.by_steps);
}

void add_case(const Case& what) {
  const std::string name = fmt::format("{}/{}/{}{}/threads:{}", what.view, what.device,
                                       what.shortcuts ? "shortcuts" : "plain",
                                       what.smooth ? "+smooth" : "", what.threads);
  benchmark::RegisterBenchmark(name.c_str(),
                               [what](benchmark::State& state) { run_case(state, what); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(1.0);
}

std::vector<std::string> cpu_devices() {
  std::vector<std::string> names;
  for (const device::Backend& backend : device::backends()) {
    if (backend.name != "cpu") continue;
    for (const device::DeviceInfo& info : backend.list({.threads = 1})) names.push_back(info.name);
  }
  return names;
}

void add_cases() {
  const job::ImageSpec whole{-0.75, 0.0, 3.0, {10000, 10000}, 1000, 2.0};
  const job::ImageSpec seahorse{
      -0.743643887037151, 0.131825904205330, 0.0025, {10000, 10000}, 5000, 2.0};
  const auto names = cpu_devices();
  for (const auto& [view, image] : {std::pair{"whole_set", whole}, {"seahorse", seahorse}}) {
    const std::int64_t rows = image.iterations == whole.iterations ? 512 : 256;
    add_case({view, image, "reference", false, false, 1, rows / 8});
    for (const std::string& name : names) {
      if (name == "cpu") continue;  // the first of the instruction sets under another name
      add_case({view, image, name, false, false, 1, rows / 8});
      add_case({view, image, name, true, false, 1, rows});
    }
    for (const int threads : {1, 2}) {
      add_case({view, image, "cpu", false, false, threads, rows});
      add_case({view, image, "cpu", true, false, threads, rows * 4});
      add_case({view, image, "cpu", false, true, threads, rows});
      add_case({view, image, "cpu", true, true, threads, rows * 4});
    }
  }
}

/// Each formula about the middle of its set, to compare with the first.
void add_formulas() {
  for (const char* const formula :
       {"mandelbrot", "julia:-0.4,0.6", "julia:-0.1,0.65", "burning-ship", "tricorn", "multibrot:3",
        "multibrot:4", "multibrot:5", "multibrot:6", "multibrot:7", "multibrot:8"}) {
    const job::ImageSpec image{.center_re = 0,
                               .center_im = 0,
                               .width = 4,
                               .size_px = {10000, 10000},
                               .iterations = 1000,
                               .bailout = 2,
                               .formula = job::parse_formula(formula, "")};
    for (const bool shortcuts : {false, true}) {
      add_case({std::string("formula:") + formula, image, "cpu", shortcuts, false, 1, 64});
    }
  }
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  tessera::bench::add_cases();
  tessera::bench::add_formulas();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
