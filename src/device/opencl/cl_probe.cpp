#include "device/opencl/cl_probe.hpp"

#include <array>
#include <numeric>

namespace tessera::device::opencl {
namespace {

/// Enough blocks to fill any device; each block strides over the array.
constexpr std::size_t kBlocks = 2048;

class ClBenchArrays : public BenchArrays {
 public:
  explicit ClBenchArrays(std::shared_ptr<const OpenDevice> device)
      : queue_(std::move(device)),
        fill_(queue_.make_kernel("ts_fill")),
        add_(queue_.make_kernel("ts_add_arrays")),
        sum_(queue_.make_kernel("ts_sum_array")),
        partial_(queue_.make_memory(kBlocks * sizeof(double))) {}

  void resize(std::size_t elements) override {
    const std::size_t bytes = elements * sizeof(double);
    host_.reset();
    for (DeviceMemory* const array : {&a_, &b_, &c_}) *array = {};
    a_ = queue_.make_memory(bytes);
    b_ = queue_.make_memory(bytes);
    c_ = queue_.make_memory(bytes);
    host_ = std::make_unique<MappedBuffer>(queue_, bytes);
    elements_ = elements;
    queue_.launch(fill_.get(), {kBlocks}, a_.get(), b_.get(), elements_);
    queue_.wait();
  }
  std::span<double> host() override {
    return {reinterpret_cast<double*>(host_->bytes().data()), elements_};
  }
  void copy_to_device() override {
    queue_.write(c_.get(), host_->bytes());
    queue_.wait();
  }
  void copy_from_device() override {
    queue_.read(c_.get(), 0, host_->bytes());
    queue_.wait();
  }
  void add() override {
    queue_.launch(add_.get(), {kBlocks}, a_.get(), b_.get(), c_.get(), elements_);
    queue_.wait();
  }
  double sum() override {
    queue_.launch(sum_.get(), {kBlocks}, a_.get(), partial_.get(), elements_);
    std::array<double, kBlocks> partial{};
    queue_.read(partial_.get(), 0, std::as_writable_bytes(std::span(partial)));
    queue_.wait();
    return std::accumulate(partial.begin(), partial.end(), 0.0);
  }

 private:
  CommandQueue queue_;
  Kernel fill_, add_, sum_;
  cl_ulong elements_ = 0;
  DeviceMemory a_, b_, c_, partial_;
  std::unique_ptr<MappedBuffer> host_;
};

}  // namespace

std::unique_ptr<BenchArrays> make_bench_arrays(std::shared_ptr<const OpenDevice> device) {
  return std::make_unique<ClBenchArrays>(std::move(device));
}

}  // namespace tessera::device::opencl
