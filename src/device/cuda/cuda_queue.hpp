// A CUDA stream with growable device memory: the common part of all gpu::DeviceQueue of this
// backend.
#pragma once

#include "device/cuda/memory.hpp"
#include "device/gpu/queue/device_queue.hpp"

namespace tessera::device::cuda {

/// Implements DeviceQueue for a class `Stream` derived from it.
template <class Stream>
class CudaQueue : public Stream {
 public:
  using Memory = DeviceArray<std::byte>;

  /// Uses device number `device` of this process. Allocates `spare_bytes` more than the capacity.
  /// `more_bytes`: what the derived class allocates when it is constructed.
  CudaQueue(int device, const std::shared_ptr<gpu::MemoryBudget>& budget, std::size_t spare_bytes,
            std::size_t more_bytes)
      : stream_(std::make_shared<const WaitableStream>(device)),
        budgeted_(budget, capacity_ + spare_bytes + more_bytes),
        budget_(budget),
        device_memory_(*stream_, budget),
        spare_bytes_(spare_bytes),
        memory_(device_memory_.make<std::byte>(capacity_ + spare_bytes)) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    make_current();
    memory_.reset();  // first, so that the device need not have room for both
    memory_ = device_memory_.try_make(bytes + spare_bytes_);
    const bool grown = memory_ != nullptr;
    if (grown) capacity_ = bytes;
    if (!grown) memory_ = device_memory_.template make<std::byte>(capacity_ + spare_bytes_);
    return grown;
  }
  std::uint64_t peak_memory_bytes() override { return device_memory_.peak_bytes(); }
  void wait() override {
    make_current();
    finish();
  }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    make_current();
    return std::make_unique<StreamBuffer>(stream_, bytes);
  }
  std::shared_ptr<void> lock_memory(std::span<std::byte> bytes) override {
    make_current();
    return cuda::lock_memory(stream_, bytes);
  }

 protected:
  /// The current device is a property of the thread, and a stream may be used by another thread
  /// than the one that opened it.
  void make_current() const { check(cudaSetDevice(stream_->device()), "cudaSetDevice", work_); }
  const Memory& memory() const { return memory_; }
  cudaStream_t stream() const { return stream_->get(); }
  Memory make_memory(std::size_t bytes) {
    make_current();
    Memory memory = device_memory_.make<std::byte>(bytes);
    set_to_zero(memory, 0, bytes);
    return memory;
  }
  Memory try_make_shared(std::size_t bytes) {
    make_current();
    return cuda::try_make_shared(stream_->device(), budget_, bytes);
  }

  void write(const Memory& to, std::size_t at_byte, std::span<const std::byte> from) {
    make_current();
    add(cudaMemcpyAsync(to.get() + at_byte, from.data(), from.size(), cudaMemcpyHostToDevice,
                        stream()),
        "copy to the device");
  }
  void read(const Memory& from, std::size_t at_byte, std::span<std::byte> to) {
    make_current();
    add(cudaMemcpyAsync(to.data(), from.get() + at_byte, to.size(), cudaMemcpyDeviceToHost,
                        stream()),
        "copy from the device");
  }
  void set_to_zero(const Memory& memory, std::size_t at_byte, std::size_t bytes) {
    make_current();
    add(cudaMemsetAsync(memory.get() + at_byte, 0, bytes, stream()), "cudaMemsetAsync");
  }
  /// Checks a launch; `what` is a literal.
  void launched(std::string_view what) {
    check(cudaGetLastError(), what, work_);
    work_ = what;
  }
  void finish() {
    stream_->wait(work_);
    work_ = {};
  }

 private:
  /// If several pieces of work are in flight, a launch is the likely cause of an error.
  void add(cudaError_t code, std::string_view what) {
    check(code, what, work_);
    if (work_.empty()) work_ = what;
  }

  std::shared_ptr<const WaitableStream> stream_;
  std::size_t capacity_ = Stream::kMinBytes;
  gpu::BudgetedStream budgeted_;
  std::shared_ptr<gpu::MemoryBudget> budget_;
  StreamMemory device_memory_;
  std::size_t spare_bytes_;
  Memory memory_;
  std::string_view work_;  ///< in flight since the last finish(), as error messages name it
};

}  // namespace tessera::device::cuda
