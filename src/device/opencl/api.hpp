// The OpenCL functions, loaded at first use: without the ICD loader there are no OpenCL devices,
// and everything else works. Also the checked-call wrapper of this folder.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace tessera::device::opencl {

#define TESSERA_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs)               \
  X(clGetPlatformInfo)              \
  X(clGetDeviceIDs)                 \
  X(clGetDeviceInfo)                \
  X(clCreateContext)                \
  X(clReleaseContext)               \
  X(clCreateCommandQueue)           \
  X(clReleaseCommandQueue)          \
  X(clCreateBuffer)                 \
  X(clReleaseMemObject)             \
  X(clEnqueueMapBuffer)             \
  X(clEnqueueUnmapMemObject)        \
  X(clEnqueueReadBuffer)            \
  X(clEnqueueWriteBuffer)           \
  X(clEnqueueFillBuffer)            \
  X(clEnqueueNDRangeKernel)         \
  X(clEnqueueMarkerWithWaitList)    \
  X(clFlush)                        \
  X(clGetEventInfo)                 \
  X(clReleaseEvent)                 \
  X(clCreateProgramWithSource)      \
  X(clCreateProgramWithBinary)      \
  X(clBuildProgram)                 \
  X(clGetProgramInfo)               \
  X(clGetProgramBuildInfo)          \
  X(clReleaseProgram)               \
  X(clCreateKernel)                 \
  X(clGetKernelInfo)                \
  X(clSetKernelArg)                 \
  X(clReleaseKernel)

/// The functions of the loader.
struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the argument is a name
#define TESSERA_OPENCL_MEMBER(function) decltype(&::function) function = nullptr;
  TESSERA_OPENCL_FUNCTIONS(TESSERA_OPENCL_MEMBER)
#undef TESSERA_OPENCL_MEMBER
};

/// Null if there is no loader, or if it is too old; `reason` says which.
const Api* find_api(std::string& reason);
/// Throws base::Error (missing) if there is no usable loader.
const Api& api();

/// "CL_OUT_OF_RESOURCES", or the number of an unknown code.
std::string error_name(cl_int code);

/// Throws DeviceError with the call's name and OpenCL's code unless `code` is CL_SUCCESS.
inline void check(cl_int code, std::string_view call) {
  if (code != CL_SUCCESS) throw DeviceError(fmt::format("{}: {}", call, error_name(code)));
}

/// Wraps calls that return an object and store their error code through the last argument.
template <class Function, class... Args>
auto create(std::string_view call, Function function, Args... args) {
  cl_int code = CL_SUCCESS;
  const auto object = function(args..., &code);
  check(code, call);
  return object;
}

}  // namespace tessera::device::opencl
