// A device that is open - context and program - and the queues of work on it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "device/opencl/handle.hpp"
#include "device/opencl/platforms.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::device::opencl {

/// Shared by all queues of a device. Throws DeviceError when the program cannot be built.
struct OpenDevice {
  const Api& cl;
  FoundDevice found;
  Context context;
  Program program;

  OpenDevice(const Api& cl, FoundDevice found);

  /// A program with one kernel for arrays, built when it is first asked for: all of them would take
  /// some drivers a minute. Throws as the constructor.
  const Program& reduce_program(kernels::ReduceKernel kernel) const;

 private:
  mutable std::mutex mutex_;  ///< guards the next one
  mutable std::map<kernels::ReduceKernel, Program> reduce_programs_;
};

/// How many groups a launch has, and of how many threads.
struct Groups {
  std::size_t count = 1;
  std::size_t threads = TS_GROUP_SIZE;
};

/// An in-order queue, and what every use of it needs. One thread at a time.
class CommandQueue {
 public:
  explicit CommandQueue(std::shared_ptr<const OpenDevice> device);

  const Api& cl() const { return device_->cl; }
  const OpenDevice& device() const { return *device_; }
  cl_command_queue get() const { return queue_.get(); }

  Kernel make_kernel(const char* name) const { return make_kernel(device_->program, name); }
  Kernel make_kernel(const Program& program, const char* name) const;
  /// Throws DeviceError when there is no room.
  Memory make_memory(std::size_t bytes) const;
  /// Sets arguments 0, 1, ... and starts the groups.
  template <class... Args>
  void launch(cl_kernel kernel, const Groups& groups, const Args&... args) const {
    cl_uint index = 0;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): OpenCL takes its handles, pointers, by value
    (check(cl().clSetKernelArg(kernel, index++, sizeof(args), &args), "clSetKernelArg"), ...);
    start(kernel, groups);
  }
  /// Neither waits.
  void write(cl_mem to, std::span<const std::byte> from, std::size_t offset_bytes = 0) const;
  void read(cl_mem from, std::size_t offset_bytes, std::span<std::byte> to) const;
  /// Sleeps until all is done. clFinish spins in some drivers, which takes a core from the work.
  void wait() const;

 private:
  void start(cl_kernel kernel, const Groups& groups) const;

  std::shared_ptr<const OpenDevice> device_;
  Queue queue_;
};

/// Memory of the host that the driver allocated, so that copies need no detour.
class MappedBuffer : public HostBuffer {
 public:
  MappedBuffer(const CommandQueue& queue, std::size_t bytes);
  ~MappedBuffer() override;
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  const CommandQueue& queue_;
  Memory memory_;
  std::span<std::byte> bytes_;
};

}  // namespace tessera::device::opencl
