// Errors of OpenCL after which a process cannot use its device any more, on a driver that is faked.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {
namespace {

/// The codes that the fake driver returns from now on.
struct Driver {
  cl_int enqueue = CL_SUCCESS;  ///< of kernels and copies
  cl_int create = CL_SUCCESS;   ///< of memory
  cl_int marker = CL_SUCCESS;
  cl_int event = CL_COMPLETE;  ///< the state of a marker
};
Driver driver;

template <class Object>
Object object(cl_int* code, cl_int with = CL_SUCCESS) {
  static char anything = 0;
  *code = with;
  return with == CL_SUCCESS ? reinterpret_cast<Object>(&anything) : nullptr;
}

/// Only what a queue needs.
Api fake_api() {
  Api cl;
  cl.clCreateContext = [](const cl_context_properties*, cl_uint, const cl_device_id*, auto, void*,
                          cl_int* code) { return object<cl_context>(code); };
  cl.clCreateCommandQueue = [](cl_context, cl_device_id, cl_command_queue_properties,
                               cl_int* code) { return object<cl_command_queue>(code); };
  cl.clCreateProgramWithSource = [](cl_context, cl_uint, const char**, const std::size_t*,
                                    cl_int* code) { return object<cl_program>(code); };
  cl.clBuildProgram = [](cl_program, cl_uint, const cl_device_id*, const char*, auto, void*) {
    return cl_int{CL_SUCCESS};
  };
  cl.clGetProgramInfo = [](cl_program, cl_program_info, std::size_t bytes, void* to, std::size_t*) {
    std::fill_n(static_cast<char*>(to), bytes, char{0});
    return cl_int{CL_SUCCESS};
  };
  cl.clCreateBuffer = [](cl_context, cl_mem_flags, std::size_t, void*, cl_int* code) {
    return object<cl_mem>(code, driver.create);
  };
  cl.clEnqueueFillBuffer = [](cl_command_queue, cl_mem, const void*, std::size_t, std::size_t,
                              std::size_t, cl_uint, const cl_event*,
                              cl_event*) { return driver.enqueue; };
  cl.clEnqueueReadBuffer = [](cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*,
                              cl_uint, const cl_event*, cl_event*) { return driver.enqueue; };
  cl.clEnqueueMarkerWithWaitList = [](cl_command_queue, cl_uint, const cl_event*, cl_event* event) {
    cl_int code = CL_SUCCESS;
    *event = object<cl_event>(&code, driver.marker);
    return code;
  };
  cl.clFlush = [](cl_command_queue) { return cl_int{CL_SUCCESS}; };
  cl.clGetEventInfo = [](cl_event, cl_event_info, std::size_t, void* to, std::size_t*) {
    *static_cast<cl_int*>(to) = driver.event;
    return cl_int{CL_SUCCESS};
  };
  cl.clReleaseContext = [](cl_context) { return cl_int{CL_SUCCESS}; };
  cl.clReleaseCommandQueue = [](cl_command_queue) { return cl_int{CL_SUCCESS}; };
  cl.clReleaseProgram = [](cl_program) { return cl_int{CL_SUCCESS}; };
  cl.clReleaseMemObject = [](cl_mem) { return cl_int{CL_SUCCESS}; };
  cl.clReleaseEvent = [](cl_event) { return cl_int{CL_SUCCESS}; };
  return cl;
}

class LostContext : public testing::Test {
 protected:
  LostContext() {
    driver = {};
    // Without these, programs are not cached.
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    queue_.emplace(std::make_shared<const OpenDevice>(cl_, FoundDevice(), 0));
    memory_ = queue_->make_memory(16);
  }
  void read() {
    std::array<std::byte, 16> to{};
    queue_->read(memory_.get(), 0, to);
  }

  const Api cl_ = fake_api();
  std::optional<CommandQueue> queue_;
  DeviceMemory memory_;
};

TEST_F(LostContext, IsAnErrorAfterWhichNoCommandSucceeds) {
  driver = {.enqueue = CL_OUT_OF_RESOURCES, .marker = CL_INVALID_COMMAND_QUEUE};
  EXPECT_THROW(read(), ContextLostError);
}

TEST_F(LostContext, IsReportedByTheEventOfAKernel) {
  driver = {.event = CL_OUT_OF_RESOURCES};
  EXPECT_THROW(queue_->wait(), ContextLostError);
  driver = {.event = -9999};  // of NVIDIA, for an illegal address
  EXPECT_THROW(queue_->wait(), ContextLostError);
}

TEST_F(LostContext, IsReportedByTheQueue) {
  driver = {.marker = CL_INVALID_COMMAND_QUEUE};
  EXPECT_THROW(queue_->wait(), ContextLostError);
}

TEST_F(LostContext, IsNotALackOfMemory) {
  driver = {.enqueue = CL_OUT_OF_RESOURCES,
            .create = CL_OUT_OF_RESOURCES,
            .marker = CL_INVALID_COMMAND_QUEUE};
  EXPECT_THROW(queue_->try_make_memory(16), ContextLostError);
  driver = {.create = CL_MEM_OBJECT_ALLOCATION_FAILURE};
  EXPECT_EQ(queue_->try_make_memory(16).get(), nullptr);
}

TEST_F(LostContext, IsNotAnErrorOfOneCommand) {
  driver = {.enqueue = CL_OUT_OF_RESOURCES};
  try {
    read();
    FAIL();
  } catch (const ContextLostError&) {
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "clEnqueueReadBuffer: CL_OUT_OF_RESOURCES");
  }
  driver = {};
  read();
  queue_->wait();
}

}  // namespace
}  // namespace tessera::device::opencl
