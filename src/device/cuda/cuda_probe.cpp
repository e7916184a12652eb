#include "device/cuda/cuda_probe.hpp"

#include <array>
#include <numeric>
#include <optional>

#include "device/cuda/memory.hpp"
#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {
namespace {

/// Enough blocks to fill any device; each block strides over the array.
constexpr unsigned kBlocks = 8192;

class CudaBenchArrays : public BenchArrays {
 public:
  /// All calls happen on this thread, where the device stays current.
  CudaBenchArrays(int device, std::shared_ptr<gpu::MemoryBudget> budget)
      : stream_(device),
        memory_(stream_, std::move(budget)),
        partial_(memory_.make<double>(kBlocks)) {}

  void resize(std::size_t elements) override {
    host_.reset();
    for (auto* const array : {&a_, &b_, &c_}) array->reset();
    for (auto* const array : {&a_, &b_, &c_}) *array = memory_.make<double>(elements);
    host_.emplace(elements * sizeof(double));
    elements_ = elements;
    kernels::launch_fill(a_.get(), b_.get(), elements, kBlocks, stream_.get());
    check(cudaGetLastError(), "launch of the fill kernel");
    stream_.wait();
  }
  std::span<double> host() override {
    return {reinterpret_cast<double*>(host_->bytes().data()), elements_};
  }
  void copy_to_device() override {
    const auto from = host_->bytes();
    check(
        cudaMemcpyAsync(c_.get(), from.data(), from.size(), cudaMemcpyHostToDevice, stream_.get()),
        "cudaMemcpyAsync to the device");
    stream_.wait();
  }
  void copy_from_device() override {
    const auto to = host_->bytes();
    check(cudaMemcpyAsync(to.data(), c_.get(), to.size(), cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync from the device");
    stream_.wait();
  }
  void add() override {
    kernels::launch_add(a_.get(), b_.get(), c_.get(), elements_, kBlocks, stream_.get());
    check(cudaGetLastError(), "launch of the add kernel");
    stream_.wait();
  }
  double sum() override {
    kernels::launch_sum(a_.get(), partial_.get(), elements_, kBlocks, stream_.get());
    check(cudaGetLastError(), "launch of the sum kernel");
    std::array<double, kBlocks> partial{};
    check(cudaMemcpyAsync(partial.data(), partial_.get(), sizeof(partial), cudaMemcpyDeviceToHost,
                          stream_.get()),
          "cudaMemcpyAsync from the device");
    stream_.wait();
    return std::accumulate(partial.begin(), partial.end(), 0.0);
  }

 private:
  WaitableStream stream_;
  StreamMemory memory_;
  std::size_t elements_ = 0;
  DeviceArray<double> a_, b_, c_, partial_;
  std::optional<PinnedBuffer> host_;
};

}  // namespace

std::unique_ptr<BenchArrays> make_bench_arrays(int device,
                                               std::shared_ptr<gpu::MemoryBudget> budget) {
  return std::make_unique<CudaBenchArrays>(device, std::move(budget));
}

}  // namespace tessera::device::cuda
