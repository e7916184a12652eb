#include "device/cuda/cuda_array_stream.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/arrays/stream/array_stream_on.hpp"
#include "kernels/cuda/expression.hpp"
#include "kernels/cuda/reduce.hpp"

namespace tessera::device::cuda {
namespace {

constexpr std::size_t kStepBytes = TS_MAP_STEPS * sizeof(kernels::TsStep);
/// A multiprocessor runs at most this many blocks of 256 threads at once.
// not crossed: speed only
constexpr int kMaxBlocksOfMultiprocessor = 8;

/// Indexed by ArrayKernel; for messages.
constexpr std::string_view kLaunches[] = {
#define TS_LAUNCH(name, arguments, blocks) "launch of the kernel ts_" #name,
    TS_ARRAY_KERNELS(TS_LAUNCH)  // NOLINT(bugprone-suspicious-missing-comma): a name has two parts
#undef TS_LAUNCH
};

std::size_t max_blocks_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(count) * kMaxBlocksOfMultiprocessor;
}

class CudaArrayStream : public gpu::ArrayStreamOn<CudaQueue<gpu::ArrayStream>> {
 public:
  /// Opens device number `device` of this process.
  CudaArrayStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget)
      : ArrayStreamOn(max_blocks_of(device), kStepBytes, device, budget),
        steps_(make_memory(kStepBytes)) {}

  void borrow(const std::byte* elements) override { borrowed_ = elements; }
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override {
    make_current();
    if (const auto bytes = std::as_bytes(steps); !std::ranges::equal(bytes, known_steps_)) {
      finish();  // nothing uses the steps before
      known_steps_.assign(bytes.begin(), bytes.end());
      write(steps_, 0, known_steps_);
    }
    kernels::launch_map(call, reinterpret_cast<const kernels::TsStep*>(steps_.get()),
                        memory().get(), stream());
    launched("launch of the kernel that evaluates expressions");
  }

 protected:
  std::size_t blocks_at_once(kernels::ArrayKernel kernel) const override {
    make_current();
    int of_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
              &of_multiprocessor, kernels::entry_of(kernel), TS_REDUCE_BLOCK, 0,
              cudaOccupancyDefault),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return max_blocks() / kMaxBlocksOfMultiprocessor *
           static_cast<std::size_t>(std::clamp(of_multiprocessor, 1, kMaxBlocksOfMultiprocessor));
  }
  void start(kernels::ArrayKernel kernel, std::size_t blocks,
             std::span<const kernels::TS_U64> arguments, const MemoryArguments& memory) override {
    make_current();
    const std::byte* pointers[std::tuple_size_v<MemoryArguments>];
    void* all[1 + std::size(pointers)] = {const_cast<kernels::TS_U64*>(arguments.data())};
    for (std::size_t i = 0; i < std::size(pointers); ++i) {
      pointers[i] = memory[i]->get();
      all[1 + i] = &pointers[i];
    }
    if (borrowed_ != nullptr) pointers[0] = borrowed_;
    cudaLaunchKernel(kernels::entry_of(kernel), dim3(static_cast<unsigned>(blocks)),
                     dim3(TS_REDUCE_BLOCK), all, 0, stream());
    launched(kLaunches[static_cast<std::size_t>(kernel)]);
  }

 private:
  Memory steps_;
  base::Bytes known_steps_;  ///< those in steps_
  const std::byte* borrowed_ = nullptr;
};

}  // namespace

std::unique_ptr<gpu::ArrayStream> open_array_stream(
    int device, const std::shared_ptr<gpu::MemoryBudget>& budget) {
  return std::make_unique<CudaArrayStream>(device, budget);
}

}  // namespace tessera::device::cuda
