// An open device (context and program), and command queues on it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "device/gpu/pixels/deep_tables.hpp"
#include "device/gpu/queue/memory_budget.hpp"
#include "device/opencl/handle.hpp"
#include "device/opencl/platforms.hpp"
#include "kernels/gpu/array_kernels.hpp"

namespace tessera::device::opencl {

/// Bytes of a budget, given back by the destructor.
struct GiveBack {
  std::size_t bytes = 0;
  void operator()(gpu::MemoryBudget* budget) const { budget->give_back(bytes); }
};

/// Memory that was taken from the budget of its device, which must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(Memory memory, std::unique_ptr<gpu::MemoryBudget, GiveBack> taken)
      : taken_(std::move(taken)), memory_(std::move(memory)) {}
  cl_mem get() const { return memory_.get(); }

 private:
  std::unique_ptr<gpu::MemoryBudget, GiveBack> taken_;
  Memory memory_;
};

/// Shared by all queues of a device. Throws DeviceError if the program cannot be built.
struct OpenDevice {
  const Api& cl;
  FoundDevice found;
  std::shared_ptr<gpu::MemoryBudget> budget;
  Opening opening;
  Context context;
  Program program;

  /// `memory_bytes`: as in gpu::MemoryBudget.
  OpenDevice(const Api& cl, FoundDevice found, std::uint64_t memory_bytes);

  /// The program with one kernel for arrays, built at first use: building all of them takes some
  /// drivers a minute. Throws as the constructor.
  const Program& array_program(kernels::ArrayKernel kernel) const;
  /// The program with this source text, built at first use. Throws as the constructor.
  const Program& program_of(const std::string& source) const;
  gpu::DeepTables<DeviceMemory>& deep_tables() const { return deep_tables_; }

 private:
  mutable std::mutex mutex_;                         ///< guards programs_
  mutable std::map<std::string, Program> programs_;  ///< by source text
  mutable gpu::DeepTables<DeviceMemory> deep_tables_;
};

/// Number of blocks of a launch, and threads per block.
struct Blocks {
  std::size_t count = 1;
  std::size_t threads = TS_BLOCK_SIZE;
};

/// An in-order command queue. One thread at a time.
class CommandQueue {
 public:
  explicit CommandQueue(std::shared_ptr<const OpenDevice> device);

  const Api& cl() const { return device_->cl; }
  const OpenDevice& device() const { return *device_; }
  /// As opencl::check(), but throws ContextLostError if no command of the queue succeeds any more.
  void check(cl_int code, std::string_view call) const {
    if (code != CL_SUCCESS) fail({code, call});
  }
  cl_command_queue get() const { return queue_.get(); }

  Kernel make_kernel(const char* name) const { return make_kernel(device_->program, name); }
  Kernel make_kernel(const Program& program, const char* name) const;
  /// Throws DeviceError if the device has too little memory, or as gpu::MemoryBudget::take().
  DeviceMemory make_memory(std::size_t bytes) const;
  /// Empty if the device or its budget has too little memory.
  DeviceMemory try_make_memory(std::size_t bytes) const;
  /// Sets arguments 0, 1, ... and starts the kernel.
  template <class... Args>
  void launch(cl_kernel kernel, const Blocks& blocks, const Args&... args) const {
    cl_uint index = 0;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): OpenCL takes its handles, pointers, by value
    (opencl::check(cl().clSetKernelArg(kernel, index++, sizeof(args), &args), "clSetKernelArg"),
     ...);
    start(kernel, blocks);
  }
  /// The same; memory follows the first argument, as many as the kernel takes.
  void launch_with(cl_kernel kernel, const Blocks& blocks, std::span<const std::byte> argument,
                   std::span<const cl_mem> memory) const;
  /// All return at once.
  void set_to_zero(cl_mem memory, std::size_t at_byte, std::size_t bytes) const;
  void write(cl_mem to, std::span<const std::byte> from, std::size_t offset_bytes = 0) const;
  void read(cl_mem from, std::size_t offset_bytes, std::span<std::byte> to) const;
  /// Sleeps until all commands are done. In some drivers clFinish spins, which would occupy a core.
  void wait() const;

 private:
  struct Outcome {
    cl_int code = CL_SUCCESS;
    std::string_view call;
  };
  /// Sleeps until all commands are done, or one of them has failed.
  Outcome finish() const;
  [[noreturn]] void fail(const Outcome& outcome) const;
  void start(cl_kernel kernel, const Blocks& blocks) const;
  DeviceMemory allocate(std::size_t bytes) const;

  std::shared_ptr<const OpenDevice> device_;
  Queue queue_;
};

/// Host memory allocated by the driver, so that copies need no intermediate buffer.
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
