#include "device/opencl/queue.hpp"

#include <algorithm>
#include <thread>

#include "device/opencl/program.hpp"

namespace tessera::device::opencl {

OpenDevice::OpenDevice(const Api& api, FoundDevice device, std::uint64_t memory_bytes)
    : cl(api),
      found(std::move(device)),
      budget(std::make_shared<gpu::MemoryBudget>(found.info.name, memory_bytes)),
      context(cl, timed(opening, OpeningPart::context,
                        [this] {
                          return create("clCreateContext", cl.clCreateContext,
                                        static_cast<const cl_context_properties*>(nullptr),
                                        cl_uint{1}, static_cast<const cl_device_id*>(&found.device),
                                        nullptr, nullptr);
                        })),
      program(timed(opening, OpeningPart::kernels,
                    [this] { return build_program(cl, context.get(), found, kBenchSource); })) {}

const Program& OpenDevice::array_program(kernels::ArrayKernel kernel) const {
  return program_of(
      fmt::format("#define TS_ONLY_{} 1\n{}", kernels::row_of(kernel).name, kReduceSource));
}

const Program& OpenDevice::program_of(const std::string& source) const {
  const std::scoped_lock lock(mutex_);
  const auto known = programs_.find(source);
  if (known != programs_.end()) return known->second;
  return programs_.emplace(source, build_program(cl, context.get(), found, source.c_str()))
      .first->second;
}

CommandQueue::CommandQueue(std::shared_ptr<const OpenDevice> device)
    : device_(std::move(device)),
      queue_(cl(), create("clCreateCommandQueue", cl().clCreateCommandQueue, device_->context.get(),
                          device_->found.device, cl_command_queue_properties{0})) {}

Kernel CommandQueue::make_kernel(const Program& program, const char* name) const {
  return {cl(), create("clCreateKernel", cl().clCreateKernel, program.get(), name)};
}

DeviceMemory CommandQueue::make_memory(std::size_t bytes) const {
  device_->budget->take(bytes);
  return allocate(bytes);
}

DeviceMemory CommandQueue::try_make_memory(std::size_t bytes) const {
  if (!device_->budget->try_take(bytes)) return {};
  try {
    return allocate(bytes);
  } catch (const ContextLostError&) {
    throw;
  } catch (const DeviceError&) {
    return {};
  }
}

/// The budget has given the bytes already.
DeviceMemory CommandQueue::allocate(std::size_t bytes) const {
  std::unique_ptr<gpu::MemoryBudget, GiveBack> taken(device_->budget.get(), {bytes});
  cl_int code = CL_SUCCESS;
  Memory memory(
      cl(), cl().clCreateBuffer(device_->context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "clCreateBuffer");
  // Many drivers allocate at first use. This write makes too little memory fail here, not in a
  // kernel.
  set_to_zero(memory.get(), 0, bytes);
  wait();
  return {std::move(memory), std::move(taken)};
}

void CommandQueue::launch_with(cl_kernel kernel, const Blocks& blocks,
                               std::span<const std::byte> argument,
                               std::span<const cl_mem> memory) const {
  cl_uint count = 0;
  opencl::check(cl().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
                "clGetKernelInfo");
  opencl::check(cl().clSetKernelArg(kernel, 0, argument.size(), argument.data()), "clSetKernelArg");
  for (cl_uint index = 1; index < count; ++index) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): OpenCL takes its handles, pointers, by value
    opencl::check(cl().clSetKernelArg(kernel, index, sizeof(cl_mem), &memory[index - 1]),
                  "clSetKernelArg");
  }
  start(kernel, blocks);
}

void CommandQueue::start(cl_kernel kernel, const Blocks& blocks) const {
  const std::size_t threads = blocks.count * blocks.threads;
  check(cl().clEnqueueNDRangeKernel(get(), kernel, 1, nullptr, &threads, &blocks.threads, 0,
                                    nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

void CommandQueue::set_to_zero(cl_mem memory, std::size_t at_byte, std::size_t bytes) const {
  const cl_uchar zero = 0;
  check(cl().clEnqueueFillBuffer(get(), memory, &zero, sizeof(zero), at_byte, bytes, 0, nullptr,
                                 nullptr),
        "clEnqueueFillBuffer");
}

void CommandQueue::write(cl_mem to, std::span<const std::byte> from,
                         std::size_t offset_bytes) const {
  check(cl().clEnqueueWriteBuffer(get(), to, CL_FALSE, offset_bytes, from.size(), from.data(), 0,
                                  nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void CommandQueue::read(cl_mem from, std::size_t offset_bytes, std::span<std::byte> to) const {
  check(cl().clEnqueueReadBuffer(get(), from, CL_FALSE, offset_bytes, to.size(), to.data(), 0,
                                 nullptr, nullptr),
        "clEnqueueReadBuffer");
}

CommandQueue::Outcome CommandQueue::finish() const {
  using std::chrono::microseconds;
  cl_event raw = nullptr;
  cl_int code = cl().clEnqueueMarkerWithWaitList(get(), 0, nullptr, &raw);
  if (code != CL_SUCCESS) return {code, "clEnqueueMarkerWithWaitList"};
  const Event event(cl(), raw);
  code = cl().clFlush(get());
  if (code != CL_SUCCESS) return {code, "clFlush"};
  for (microseconds nap(10);; nap = std::min(2 * nap, microseconds(200))) {
    cl_int status = CL_QUEUED;
    code = cl().clGetEventInfo(raw, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                               nullptr);
    if (code != CL_SUCCESS) return {code, "clGetEventInfo"};
    if (status == CL_COMPLETE) return {};
    if (status < 0) return {status, "a command in the queue"};
    std::this_thread::sleep_for(nap);
  }
}

void CommandQueue::wait() const {
  if (const Outcome outcome = finish(); outcome.code != CL_SUCCESS) fail(outcome);
}

/// OpenCL has no code for a lost context: NVIDIA's driver says CL_OUT_OF_RESOURCES first, as for a
/// kernel that needs too much, and CL_INVALID_COMMAND_QUEUE later. So a harmless command is tried.
void CommandQueue::fail(const Outcome& outcome) const {
  const std::string what = fmt::format("{}: {}", outcome.call, error_name(outcome.code));
  if (finish().code != CL_SUCCESS) throw ContextLostError(what + "; the context is lost");
  throw DeviceError(what);
}

MappedBuffer::MappedBuffer(const CommandQueue& queue, std::size_t bytes)
    : queue_(queue),
      memory_(queue.cl(),
              create("clCreateBuffer", queue.cl().clCreateBuffer, queue.device().context.get(),
                     cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR}, bytes, nullptr)) {
  void* const mapped =
      create("clEnqueueMapBuffer", queue.cl().clEnqueueMapBuffer, queue.get(), memory_.get(),
             cl_bool{CL_TRUE}, cl_map_flags{CL_MAP_READ | CL_MAP_WRITE}, std::size_t{0}, bytes,
             cl_uint{0}, nullptr, nullptr);
  bytes_ = {static_cast<std::byte*>(mapped), bytes};
}

MappedBuffer::~MappedBuffer() {
  queue_.cl().clEnqueueUnmapMemObject(queue_.get(), memory_.get(), bytes_.data(), 0, nullptr,
                                      nullptr);
}

}  // namespace tessera::device::opencl
