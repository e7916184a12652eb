// Exact sums of arrays that lie on a GPU, by the kernels of tessera reduce, against CUB's plain sum
// of the same memory; and how fast page-locked memory gets there. JSON on stdout:
//
//   gpu_reduce_bench [--device N] [--repeats K] [--mib SIZE]
//
// An exact sum is timed to the end: launches, the records of the blocks on the host, the number.
// Before that, the sum of the first elements is compared with the reference, bit for bit, and after
// it, of ordinary data, that of all with CUB's.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cub_sum.hpp"
#include "device/gpu/arrays/elements/block_records.hpp"
#include "device/reducer.hpp"
#include "device/select/registry.hpp"
#include "kernels/cuda/reduce.hpp"

namespace tessera::bench {
namespace {

using kernels::ArrayKernel;

void check(cudaError_t code, std::string_view call) {
  if (code == cudaSuccess) return;
  fmt::print(stderr, "gpu_reduce_bench: {}: {}\n", call, cudaGetErrorString(code));
  std::exit(4);
}

/// `arguments`: pointers to those of the kernel.
void launch(ArrayKernel kernel, unsigned blocks, std::initializer_list<const void*> arguments) {
  std::vector<void*> each;
  for (const void* argument : arguments) each.push_back(const_cast<void*>(argument));
  check(cudaLaunchKernel(kernels::entry_of(kernel), dim3(blocks), dim3(TS_REDUCE_BLOCK),
                         each.data(), 0, nullptr),
        "launch of a kernel");
}

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using OnDevice = std::unique_ptr<T[], FreeDevice>;

template <class T>
OnDevice<T> on_device(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
  return OnDevice<T>(static_cast<T*>(memory));
}

struct FreeHost {
  void operator()(std::byte* memory) const { cudaFreeHost(memory); }
};

/// Seconds from call to call, the GPU done.
template <class Work>
std::vector<double> timed(int repeats, const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i > 0) seconds.push_back(took.count());  // the first one warms up
  }
  std::ranges::sort(seconds);
  return seconds;
}

struct Data {
  std::string_view name;
  std::uint32_t what;
  bool bits = false;  ///< any bits: all exponents, NaN and infinities
};

class ExactSumKernels {
 public:
  explicit ExactSumKernels(int device) {
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute");
    multiprocessors_ = static_cast<unsigned>(multiprocessors);
    records_ = on_device<kernels::TsReduced>(multiprocessors_ * std::size_t{8});
    spill_ = on_device<kernels::TS_U64>(kResidualWords);
  }

  statistics::Partial sum(const std::byte* elements, std::uint64_t count, base::ElementType type) {
    const bool is_f64 = type == base::ElementType::f64;
    const auto kernel = is_f64 ? ArrayKernel::sum_f64 : ArrayKernel::sum_f32;
    int at_once = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernels::entry_of(kernel),
                                                        TS_REDUCE_BLOCK, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const unsigned blocks = multiprocessors_ * static_cast<unsigned>(std::max(1, at_once));
    const kernels::TsReduced* const records = records_.get();
    const kernels::TS_U64* const spill = spill_.get();
    const void* const nothing = nullptr;
    statistics::Partial partial;
    const statistics::ReductionSpec spec{.type = type, .sum = true};
    for (std::uint64_t first = 0; first < count; first += TS_MOST_ELEMENTS) {
      kernels::TsReduce call{};
      call.elements = std::min<std::uint64_t>(TS_MOST_ELEMENTS, count - first);
      call.flags = TS_WANT_SUM;
      const std::byte* const here = elements + first * base::element_bytes(type);
      launch(kernel, blocks, {&call, &here, &records, &spill, &nothing, &nothing});
      records_here_.resize(blocks);
      check(cudaMemcpy(records_here_.data(), records_.get(), blocks * sizeof(kernels::TsReduced),
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy");
      device::gpu::LaunchResult result{.records = records_here_,
                                       .elements = static_cast<std::int64_t>(call.elements)};
      spilled_ = std::ranges::any_of(records_here_, [](const auto& r) { return r.spilled != 0; });
      if (spilled_) result.spill = read_spill();
      device::gpu::add_counts_and_sums(result, spec, partial);
    }
    return partial;
  }
  bool spilled() const { return spilled_; }

 private:
  static constexpr std::size_t kResidualWords = std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS;

  std::span<const kernels::TS_U64> read_spill() {
    spill_here_.resize(kResidualWords);
    const std::size_t bytes = kResidualWords * sizeof(kernels::TS_U64);
    check(cudaMemcpy(spill_here_.data(), spill_.get(), bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    check(cudaMemset(spill_.get(), 0, bytes), "cudaMemset");
    return spill_here_;
  }

  unsigned multiprocessors_ = 0;
  OnDevice<kernels::TsReduced> records_;
  OnDevice<kernels::TS_U64> spill_;
  std::vector<kernels::TsReduced> records_here_;
  std::vector<kernels::TS_U64> spill_here_;
  bool spilled_ = false;
};

/// Whether the sum of the first elements is that of the reference.
bool is_right(ExactSumKernels& exact, const std::byte* elements, std::uint64_t count,
              base::ElementType type) {
  const std::uint64_t some = std::min<std::uint64_t>(count, 1'000'003);
  std::vector<std::byte> here(some * base::element_bytes(type));
  check(cudaMemcpy(here.data(), elements, here.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  statistics::Partial truth;
  device::open_devices("reference", {})
      .front()
      ->open_reducer({.type = type, .sum = true})
      ->reduce(here, {.of = [](std::int64_t i) { return i; }}, truth);
  return exact.sum(elements, some, type).sum == truth.sum;
}

double cub_answer(const std::byte* sum, bool is_f64) {
  double f64 = 0;
  float f32 = 0;
  if (is_f64) {
    check(cudaMemcpy(&f64, sum, sizeof(f64), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return f64;
  }
  check(cudaMemcpy(&f32, sum, sizeof(f32), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return static_cast<double>(f32);
}

struct Settings {
  int device = 0;
  int repeats = 9;
  std::size_t bytes = std::size_t{8} << 30;
};

nlohmann::json sum_case(const Settings& settings, const Data& data, base::ElementType type,
                        std::byte* elements, ExactSumKernels& exact) {
  const bool is_f64 = type == base::ElementType::f64;
  const std::uint64_t count = settings.bytes / base::element_bytes(type);
  kernels::TsMake make{};
  make.count = make.all = count;
  make.seed = 3;
  make.what = data.what;
  make.element_bytes = is_f64 ? 8 : 4;
  make.is_float = data.bits ? 0 : 1;
  launch(ArrayKernel::make, 4096, {&make, &elements});

  const std::size_t room_bytes = cub_room(count, is_f64);
  const auto room = on_device<std::byte>(room_bytes + 16);
  const auto sum = on_device<std::byte>(16);
  const bool right = is_right(exact, elements, count, type);
  statistics::Partial answer;
  const auto exact_s = timed(settings.repeats, [&] { answer = exact.sum(elements, count, type); });
  const auto plain_s = timed(settings.repeats, [&] {
    check(cub_sum(elements, count, is_f64, room.get(), room_bytes, sum.get(), nullptr),
          "cub::DeviceReduce::Sum");
  });
  const double ours = answer.sum.rounded();
  const double theirs = cub_answer(sum.get(), is_f64);
  const double scale = std::sqrt(static_cast<double>(count));
  const bool near = data.bits || std::abs(ours - theirs) <= 1e-3 * scale + 1e-3 * std::abs(ours);
  const auto rate = [&](const std::vector<double>& seconds) {
    return static_cast<double>(settings.bytes) / seconds[seconds.size() / 2];
  };
  return {{"name", fmt::format("{}/{}", is_f64 ? "f64" : "f32", data.name)},
          {"right", right && near},
          {"exact_bytes_per_s", rate(exact_s)},
          {"cub_bytes_per_s", rate(plain_s)},
          {"spilled", exact.spilled()}};
}

double pinned_bytes_per_s(const Settings& settings, std::byte* to) {
  const std::size_t bytes = std::min(settings.bytes, std::size_t{1} << 30);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  const std::unique_ptr<std::byte[], FreeHost> from(static_cast<std::byte*>(memory));
  std::memset(from.get(), 1, bytes);
  const auto seconds = timed(settings.repeats, [&] {
    check(cudaMemcpyAsync(to, from.get(), bytes, cudaMemcpyHostToDevice, nullptr),
          "cudaMemcpyAsync");
  });
  return static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

int run(const Settings& settings) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || settings.device >= count) {
    fmt::print(stderr, "gpu_reduce_bench: there is no CUDA device {}\n", settings.device);
    return 3;
  }
  check(cudaSetDevice(settings.device), "cudaSetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, settings.device), "cudaGetDeviceProperties");
  ExactSumKernels exact(settings.device);
  const auto elements = on_device<std::byte>(settings.bytes + TS_VECTOR_BYTES);
  auto cases = nlohmann::json::array();
  bool right = true;
  for (const base::ElementType type : {base::ElementType::f32, base::ElementType::f64}) {
    for (const Data& data : {Data{"normal", TS_MAKE_NORMAL}, Data{"uniform", TS_MAKE_UNIFORM},
                             Data{"any bits", TS_MAKE_UNIFORM, true}}) {
      cases.push_back(sum_case(settings, data, type, elements.get(), exact));
      right &= cases.back()["right"].get<bool>();
    }
  }
  const nlohmann::json all = {{"device", properties.name},
                              {"bytes", settings.bytes},
                              {"pinned_bytes_per_s", pinned_bytes_per_s(settings, elements.get())},
                              {"cases", std::move(cases)}};
  fmt::print("{}\n", all.dump(1));
  if (!right) fmt::print(stderr, "gpu_reduce_bench: a sum was wrong\n");
  return right ? 0 : 4;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::bench::Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const long value = std::atol(argv[i + 1]);
    if (option == "--device" && value >= 0) {
      settings.device = static_cast<int>(value);
    } else if (option == "--repeats" && value > 0) {
      settings.repeats = static_cast<int>(value);
    } else if (option == "--mib" && value > 0) {
      settings.bytes = static_cast<std::size_t>(value) << 20;
    } else {
      fmt::print(stderr, "gpu_reduce_bench [--device N] [--repeats K] [--mib SIZE]\n");
      return 2;
    }
  }
  return tessera::bench::run(settings);
}
