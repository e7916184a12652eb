// How fast the OpenCL and CUDA devices of this machine compute pixels, in iterations a second.
// Tiles go through Device and Lane as in a run: as many threads as the device has lanes, whole
// tiles, shuffled bytes in host buffers of the lane's own making; nothing is deflated or stored.
// Each case first compares blocks of its image with the reference, bit for bit.
//
//   gpu_bench --list                                        the devices, as JSON
//   gpu_bench --benchmark_filter=/cuda:0/ --fp64-limit 16.6 T of FP64 instructions a second
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/decimal.hpp"
#include "device/select/registry.hpp"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Of an image, and of a tile of it: a GPU needs tens of millions of pixels at once, a CPU behind
/// OpenCL would take minutes for them.
struct Sizes {
  std::int64_t image_px;
  std::int64_t tile_px;
};
constexpr Sizes kGpuSizes{16384, 2048};
constexpr Sizes kCpuSizes{1024, 512};

struct Case {
  std::string view;
  job::ImageSpec image;
  device::DeviceInfo device;
  std::int64_t tile_px = 0;
  bool shortcuts = false;
  double fp64_limit = 0;  ///< FP64 instructions a second that the device can issue; 0 = not known
};

/// Of an iteration: three multiply-adds and x + x. Its test costs less, the fewer there are.
constexpr double kFp64InstructionsPerIteration = 4;

/// FP64 instructions a second: multiprocessors x pipes in each x highest clock in Hz.
double known_fp64_limit(std::string_view device) {
  struct Known {
    std::string_view name;
    double limit;
  };
  constexpr std::array kKnown = {
      Known{"H200", 132 * 64 * 1.965e9},
      Known{"H100 80GB HBM3", 132 * 64 * 1.98e9},
      Known{"A100", 108 * 32 * 1.41e9},
  };
  if (device.find("MIG") != std::string_view::npos) return 0;
  for (const Known& known : kKnown) {
    if (device.find(known.name) != std::string_view::npos) return known.limit;
  }
  return 0;
}

std::unique_ptr<device::Device> open(const std::string& name) {
  return std::move(device::open_devices(name, {}).front());
}

/// One thread's share of a device: a lane, and the chunk in which its tiles arrive.
class Worker {
 public:
  Worker(const Case& what, const device::Device& on)
      : image_(what.image),
        tile_px_(what.tile_px),
        lane_(on.open_lane({.shortcuts = what.shortcuts, .finish = device::fastest_finish()})),
        chunk_(lane_->make_host_buffer(static_cast<std::size_t>(tile_px_ * tile_px_) * 2)) {}

  device::BlockCounts render_tile(std::int64_t tile) {
    const std::int64_t columns = image_.size_px.width / tile_px_;
    return render({tile % columns * tile_px_, tile / columns * tile_px_, tile_px_, tile_px_});
  }

  device::BlockCounts render(const base::PixelRect& block) {
    return lane_->render(image_, block,
                         {.iterations = chunk_->bytes().data(),
                          .stride_px = block.width,
                          .plane_px = block.pixels()});
  }

  /// Whether the planes in the chunk, or the one value told instead, are `counts`.
  bool holds(const device::BlockCounts& told, const std::vector<std::uint16_t>& counts) {
    const std::byte* const low = chunk_->bytes().data();
    const std::byte* const high = low + counts.size();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::uint64_t pixel = told.uniform ? *told.uniform
                                               : std::to_integer<unsigned>(low[i]) |
                                                     std::to_integer<unsigned>(high[i]) << 8;
      if (pixel != counts[i]) return false;
    }
    return true;
  }

 private:
  job::ImageSpec image_;
  std::int64_t tile_px_;
  std::unique_ptr<device::Lane> lane_;
  std::unique_ptr<device::HostBuffer> chunk_;
};

/// Blocks all over the image against the reference, which may use its shortcuts.
bool answer_is_right(const Case& what, Worker& worker) {
  constexpr std::int64_t kBlocks = 12;
  constexpr std::int64_t kWidth = 256;
  constexpr std::int64_t kHeight = 32;
  const auto reference = open("reference")->open_lane({});
  std::vector<std::uint16_t> truth(kWidth * kHeight);
  const base::ImageSize size = what.image.size_px;
  for (std::int64_t k = 0; k < kBlocks; ++k) {
    const base::PixelRect block{(size.width - kWidth) * k / (kBlocks - 1),
                                (size.height - kHeight) * ((k * 5) % kBlocks) / (kBlocks - 1),
                                kWidth, kHeight};
    const device::BlockCounts told = worker.render(block);
    reference->render(
        what.image, block,
        {.iterations = reinterpret_cast<std::byte*>(truth.data()), .stride_px = kWidth});
    if (!worker.holds(told, truth)) return false;
  }
  return true;
}

/// A device with all its lanes at work.
class Ring {
 public:
  Ring(const Case& what, const device::Device& on) : tiles_(tiles_of(what)) {
    for (int lane = 0; lane < on.lanes(); ++lane) workers_.emplace_back(what, on);
  }

  std::int64_t lanes() const { return static_cast<std::int64_t>(workers_.size()); }
  std::int64_t tiles() const { return tiles_; }
  Worker& any() { return workers_.front(); }

  /// The whole image `passes` times over, without a pause in between.
  device::BlockCounts render(std::int64_t passes) {
    std::atomic<std::int64_t> next = 0;
    std::vector<device::BlockCounts> counts(workers_.size());
    std::vector<std::exception_ptr> failures(workers_.size());
    const auto work = [&](std::size_t i) {
      try {
        for (std::int64_t tile = next++; tile < tiles_ * passes; tile = next++) {
          counts[i] += workers_[i].render_tile(tile % tiles_);
        }
      } catch (...) {
        failures[i] = std::current_exception();
      }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers_.size(); ++i) threads.emplace_back(work, i);
    threads.clear();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    device::BlockCounts total;
    for (const device::BlockCounts& one : counts) total += one;
    return total;
  }

  /// Passes that take about half a second; asks after some in which the lanes get up to speed.
  std::int64_t passes_worth_timing() {
    constexpr std::int64_t kTilesToWarmUp = 10;  // launches grow fourfold from tile to tile at most
    constexpr double kTimedSeconds = 0.5;
    render((lanes() * kTilesToWarmUp + tiles_ - 1) / tiles_);
    const Clock::time_point start = Clock::now();
    render(1);
    const double pass_s = std::chrono::duration<double>(Clock::now() - start).count();
    return std::max<std::int64_t>(std::llround(kTimedSeconds / pass_s), 1);
  }

 private:
  static std::int64_t tiles_of(const Case& what) {
    const std::int64_t side = what.image.size_px.width / what.tile_px;
    return side * side;
  }

  std::int64_t tiles_;
  std::vector<Worker> workers_;
};

void report(benchmark::State& state, const Case& what, const device::BlockCounts& counts,
            std::int64_t passes) {
  const auto rate = [](double amount) {
    return benchmark::Counter(amount, benchmark::Counter::kIsRate);
  };
  const auto iterations = static_cast<double>(counts.iterations);
  const auto pixels = static_cast<double>(what.image.size_px.pixels() * passes);
  state.SetItemsProcessed(static_cast<std::int64_t>(counts.iterations));
  state.counters["executed"] = rate(static_cast<double>(counts.executed));
  state.counters["pixels"] = rate(pixels);
  state.counters["mean"] = iterations / pixels;
  if (what.fp64_limit > 0 && !what.shortcuts && !what.image.bounded()) {
    state.counters["of_fp64_limit"] =
        rate(iterations * kFp64InstructionsPerIteration / what.fp64_limit);
  }
}

void run_case(benchmark::State& state, const Case& what) {
  try {
    const auto device = open(what.device.name);
    Ring ring(what, *device);
    if (!answer_is_right(what, ring.any())) {
      state.SkipWithError("pixels differ from the reference");
      return;
    }
    const std::uint64_t iterations_of_pass = ring.render(1).iterations;
    const std::int64_t passes = ring.passes_worth_timing();
    device::BlockCounts counts;
    for ([[maybe_unused]] auto _ : state) counts = ring.render(passes);
    if (counts.iterations != iterations_of_pass * static_cast<std::uint64_t>(passes)) {
      state.SkipWithError("the same image had different counts");
      return;
    }
    report(state, what, counts, passes);
  } catch (const base::Error& error) {
    state.SkipWithError(error.what());
  }
}

void add_case(const Case& what) {
  const std::string name =
      fmt::format("{}/{}/{}", what.view, what.device.name, what.shortcuts ? "shortcuts" : "plain");
  benchmark::RegisterBenchmark(name.c_str(),
                               [what](benchmark::State& state) { run_case(state, what); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

std::vector<device::DeviceInfo> accelerators() {
  std::vector<device::DeviceInfo> found;
  for (const device::Backend& backend : device::backends()) {
    if (backend.name != "cuda" && backend.name != "opencl") continue;
    for (device::DeviceInfo& info : backend.list({})) found.push_back(std::move(info));
  }
  for (const device::DeviceInfo& absent : device::absent_backends()) found.push_back(absent);
  return found;
}

void print_list() {
  auto list = nlohmann::json::array();
  for (const device::DeviceInfo& info : accelerators()) {
    list.push_back({{"name", info.name},
                    {"detail", info.detail},
                    {"driver", info.driver},
                    {"is_gpu", info.is_gpu},
                    {"reason", info.reason}});
  }
  fmt::print("{}\n", list.dump());
}

/// The same view with counts that are the true ones.
std::pair<std::string, job::ImageSpec> exact(std::string name, job::ImageSpec image) {
  image.arithmetic = job::Arithmetic::exact;
  image.place = {base::normalized_decimal(fmt::format("{}", image.center_re)),
                 base::normalized_decimal(fmt::format("{}", image.center_im)),
                 base::normalized_decimal(fmt::format("{}", image.width))};
  return {std::move(name), std::move(image)};
}

void add_cases(double fp64_limit) {
  std::vector<std::pair<std::string, job::ImageSpec>> views = {
      {"whole_set", {-0.75, 0.0, 3.0, {}, 1000}},
      {"seahorse", {-0.743643887037151, 0.131825904205330, 0.0025, {}, 5000}},
      {"elephant", {0.2925755, -0.0149977, 0.03, {}, 2000}}};
  for (const std::size_t i : {0U, 1U}) {
    views.push_back(exact(views[i].first + "_exact", views[i].second));
  }
  for (const device::DeviceInfo& info : accelerators()) {
    if (!info.reason.empty()) continue;
    const auto [image_px, tile_px] = info.is_gpu ? kGpuSizes : kCpuSizes;
    const double limit = fp64_limit > 0 ? fp64_limit : known_fp64_limit(info.detail);
    for (auto [view, image] : views) {
      image.size_px = {image_px, image_px};
      for (const bool shortcuts : {false, true}) {
        add_case({view, image, info, tile_px, shortcuts, limit});
      }
    }
  }
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  double fp64_limit = 0;
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    tessera::bench::print_list();
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--fp64-limit" && std::atof(argv[2]) > 0) {
    fp64_limit = std::atof(argv[2]) * 1e12;
    argc = 1;
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  tessera::bench::add_cases(fp64_limit);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
