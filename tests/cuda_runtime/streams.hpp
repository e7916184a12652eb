// Streams and devices. Each stream has a thread, which executes its operations in order, when the
// schedule says so.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>

#include "settings.hpp"

namespace cuda_runtime {

/// The context of a device. Once it is lost, every call that uses the device returns the error.
class Device {
 public:
  explicit Device(int number) : number_(number) {}
  int number() const { return number_; }
  cudaError_t lost() const { return lost_; }
  void lose(cudaError_t code) { lost_ = code; }

 private:
  int number_;
  std::atomic<cudaError_t> lost_ = cudaSuccess;
};

/// By its number in this process, which must exist.
Device& device(int number);

class Stream {
 public:
  explicit Stream(Device& device);

  Device& device() const { return device_; }
  /// Queues `work`, which may return an error: then the context is lost, and nothing queued on any
  /// stream of the device is executed any more. `kind`: "kernel", "copy" or "other", for fault
  /// rules.
  void push(const char* kind, std::function<cudaError_t()> work);
  /// Number of operations so far.
  std::uint64_t pushed() const;
  /// Waits until that many are executed; the error of the device, if it has one.
  cudaError_t wait(std::uint64_t position);
  bool reached(std::uint64_t position) const;
  /// Everything queued is executed, then the thread ends.
  void close();

 private:
  struct Operation {
    const char* kind;
    std::function<cudaError_t()> work;
  };
  static void execute_all(std::shared_ptr<Stream> self);
  bool may_execute() const;
  void execute(const Operation& operation);
  friend std::shared_ptr<Stream> open_stream(Device& device);

  Device& device_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Operation> queue_;
  std::uint64_t pushed_ = 0, executed_ = 0;
  std::uint64_t requested_ = 0;  ///< operations that Schedule::late may execute
  bool closed_ = false;
  std::mt19937_64 random_;
};

std::shared_ptr<Stream> open_stream(Device& device);

/// Waits for all streams of the device.
cudaError_t wait_for_all(Device& device);

}  // namespace cuda_runtime
