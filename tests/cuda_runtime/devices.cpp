// The functions of CUDA that look for devices and choose one, and those about errors.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "calls.hpp"
#include "device_memory.hpp"
#include "kernels.hpp"

namespace cuda_runtime {
namespace {

thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

std::vector<int> read_visible_devices() {
  std::vector<int> devices;
  const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) {
    for (int i = 0; i < settings().devices; ++i) devices.push_back(i);
    return devices;
  }
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) {
    char* end = nullptr;
    const long device = std::strtol(number.c_str(), &end, 10);
    // As CUDA does: what follows an entry that is not a device is not looked at.
    if (end == number.c_str() || *end != '\0' || device < 0 || device >= settings().devices) break;
    devices.push_back(static_cast<int>(device));
  }
  return devices;
}

cudaUUID_t uuid(int device, bool of_instance) {
  cudaUUID_t result{};
  std::memset(result.bytes, 0x5A, sizeof(result.bytes));
  // The instances of one GPU have its uuid in their properties.
  result.bytes[0] = static_cast<char>(settings().mig && !of_instance ? 0 : device);
  result.bytes[1] = of_instance ? 1 : 0;
  return result;
}

/// cuDeviceGetUuid of version 2.
int uuid_of_instance(cudaUUID_t* to, int device) {
  *to = uuid(visible_devices()[static_cast<std::size_t>(device)], settings().mig);
  return 0;
}

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties{};
  std::strncpy(properties.name, "CUDA runtime for tests", sizeof(properties.name) - 1);
  properties.uuid = uuid(device, false);
  properties.totalGlobalMem = settings().memory;
  properties.major = settings().major;
  properties.minor = settings().minor;
  properties.multiProcessorCount = settings().multiprocessors;
  properties.warpSize = 32;
  properties.maxThreadsPerBlock = 1024;
  properties.pciBusID = settings().mig ? 1 : device + 1;
  properties.memoryPoolsSupported = settings().pools ? 1 : 0;
  return properties;
}

struct Named {
  cudaError_t code;
  const char* name;
  const char* text;
};
constexpr Named kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "part or all of the requested memory range was not pinned"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"}};

const Named& named(cudaError_t code) {
  for (const Named& error : kErrors) {
    if (error.code == code) return error;
  }
  static constexpr Named kOther = {cudaErrorUnknown, "cudaErrorOther", "another error"};
  return kOther;
}

}  // namespace

std::span<const int> visible_devices() {
  static const auto& known = *new std::vector<int>(read_visible_devices());
  return known;
}

cudaError_t why_no_device() {
  if (settings().driver < CUDART_VERSION) return cudaErrorInsufficientDriver;
  return visible_devices().empty() ? cudaErrorNoDevice : cudaSuccess;
}

Device& current_device() {
  return device(visible_devices()[static_cast<std::size_t>(current)]);
}

void set_current_device(int number) {
  current = number;
}

cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess) last = code;
  return code;
}

cudaError_t last_error() {
  return last;
}

void clear_last_error() {
  // The error of a lost context stays.
  last = why_no_device() == cudaSuccess ? current_device().lost() : cudaSuccess;
}

cudaError_t fault_of(const char* name) {
  const Fault fault = next_fault(name);
  if (!fault.sticky) return fault.code;
  current_device().lose(fault.code);
  return wait_for_all(current_device());
}

Stream& stream_of(cudaStream_t stream, const char* use) {
  if (stream == nullptr) report(fmt::format("{} uses the default stream", use));
  if (&stream->stream->device() != &current_device()) {
    report(fmt::format("{} uses a stream of device {} while device {} is current", use,
                       stream->stream->device().number(), current_device().number()));
  }
  return *stream->stream;
}

}  // namespace cuda_runtime

using namespace cuda_runtime;

cudaError_t cudaGetDeviceCount(int* count) {
  return plain_call("cudaGetDeviceCount", [&] {
    const cudaError_t code = why_no_device();
    *count = code == cudaSuccess ? static_cast<int>(visible_devices().size()) : 0;
    return code;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return plain_call("cudaDriverGetVersion", [&] {
    *version = settings().driver;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return plain_call("cudaGetDeviceProperties", [&] {
    if (why_no_device() != cudaSuccess) return why_no_device();
    if (device < 0 || device >= static_cast<int>(visible_devices().size()))
      return cudaErrorInvalidDevice;
    *properties = properties_of(visible_devices()[static_cast<std::size_t>(device)]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return plain_call("cudaDeviceGetAttribute", [&] {
    cudaDeviceProp properties{};
    const cudaError_t code = cudaGetDeviceProperties(&properties, device);
    switch (attribute) {
      case cudaDevAttrMultiProcessorCount:
        *value = properties.multiProcessorCount;
        break;
      case cudaDevAttrComputeMode:
        *value = settings().prohibited ? cudaComputeModeProhibited : cudaComputeModeDefault;
        break;
      case cudaDevAttrMemoryPoolsSupported:
        *value = properties.memoryPoolsSupported;
        break;
      case cudaDevAttrComputeCapabilityMajor:
        *value = properties.major;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = properties.minor;
        break;
      case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = 2;
        break;
      case cudaDevAttrMaxPitch:
        *value = 0x7FFFFFFF;
        break;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 2048;
        break;
      default:
        report(
            fmt::format("the attribute {} of devices is not known", static_cast<int>(attribute)));
    }
    return code;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return plain_call("cudaGetDriverEntryPointByVersion", [&] {
    const bool known = std::string_view(symbol) == "cuDeviceGetUuid";
    *function = known ? reinterpret_cast<void*>(uuid_of_instance) : nullptr;
    *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int number) {
  return plain_call("cudaSetDevice", [&]() -> cudaError_t {
    if (const cudaError_t code = why_no_device(); code != cudaSuccess) return code;
    if (number < 0 || number >= static_cast<int>(visible_devices().size()))
      return cudaErrorInvalidDevice;
    set_current_device(number);
    if (settings().prohibited) return cudaErrorDevicesUnavailable;
    return current_device().lost() == cudaSuccess ? cudaSuccess : wait_for_all(current_device());
  });
}

cudaError_t cudaGetDevice(int* number) {
  *number = current;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return device_call("cudaDeviceSynchronize", [] { return wait_for_all(current_device()); });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return device_call("cudaMemGetInfo", [&] {
    *total = settings().memory;
    *free = *total - allocated_bytes(current_device().number());
    return cudaSuccess;
  });
}

cudaError_t cudaGetLastError() {
  const cudaError_t code = last_error();
  clear_last_error();
  return code;
}

cudaError_t cudaPeekAtLastError() {
  return last_error();
}

const char* cudaGetErrorName(cudaError_t code) {
  return named(code).name;
}

const char* cudaGetErrorString(cudaError_t code) {
  return named(code).text;
}
