#include "device/opencl/platforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/fault.hpp"

namespace tessera::device::opencl {
namespace {

// Constants of extensions; Debian's C headers lack some of them.
constexpr cl_device_info kDeviceUuid = 0x106A;      // cl_khr_device_uuid
constexpr cl_device_info kPciBusInfo = 0x410F;      // cl_khr_pci_bus_info
constexpr cl_device_info kPciBusIdNvidia = 0x4008;  // cl_nv_device_attribute_query
constexpr cl_device_info kPciSlotIdNvidia = 0x4009;
constexpr cl_device_info kPciDomainIdNvidia = 0x400A;

/// Removes everything from the first NUL on, and spaces at both ends.
std::string trimmed(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// A text of clGetPlatformInfo or clGetDeviceInfo; "" if it is unknown.
template <class Query, class Of, class What>
std::string text_of(const Query& query, Of of, What what) {
  std::size_t bytes = 0;
  if (query(of, what, 0, nullptr, &bytes) != CL_SUCCESS) return "";
  std::string text(bytes, '\0');
  query(of, what, bytes, text.data(), nullptr);
  return trimmed(text);
}

/// Queries a property; false if the device does not know it.
template <class T>
bool ask(const Api& cl, cl_device_id device, cl_device_info what, T& answer) {
  return cl.clGetDeviceInfo(device, what, sizeof(answer), &answer, nullptr) == CL_SUCCESS;
}

std::string pci_of(const Api& cl, cl_device_id device) {
  struct {
    cl_uint domain, bus, device, function;
  } bus_info{};
  cl_uint bus = 0;
  cl_uint slot = 0;
  cl_uint domain = 0;
  if (ask(cl, device, kPciBusInfo, bus_info)) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", bus_info.domain, bus_info.bus, bus_info.device,
                       bus_info.function);
  }
  if (ask(cl, device, kPciBusIdNvidia, bus) && ask(cl, device, kPciSlotIdNvidia, slot)) {
    ask(cl, device, kPciDomainIdNvidia, domain);
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, slot >> 3, slot & 7);
  }
  return "";
}

std::string uuid_of(const Api& cl, cl_device_id device) {
  std::array<cl_uchar, 16> uuid{};
  if (!ask(cl, device, kDeviceUuid, uuid)) return "";
  std::string text;
  for (const cl_uchar byte : uuid) text += fmt::format("{:02x}", byte);
  return text;
}

/// Why the device cannot render, or "".
std::string reason_against(const Api& cl, cl_device_id device, const DeviceInfo& info) {
  cl_bool available = CL_FALSE;
  cl_bool compiler = CL_FALSE;
  cl_bool little_endian = CL_FALSE;
  ask(cl, device, CL_DEVICE_AVAILABLE, available);
  ask(cl, device, CL_DEVICE_COMPILER_AVAILABLE, compiler);
  ask(cl, device, CL_DEVICE_ENDIAN_LITTLE, little_endian);
  unsigned major = 0;
  unsigned minor = 0;
  const std::string version = text_of(cl.clGetDeviceInfo, device, CL_DEVICE_VERSION);
  if (std::sscanf(version.c_str(), "OpenCL %u.%u", &major, &minor) != 2 ||
      10 * major + minor < 12) {
    return fmt::format("needs OpenCL 1.2, has '{}'", version);
  }
  if (!info.fp64) return "no fp64 with fused multiply-add and round to nearest";
  if (!available) return "the driver says that it is not available";
  if (!compiler) return "the driver has no compiler";
  if (!little_endian) return "big-endian";
  return "";
}

/// Work-items that a compute unit of most GPUs holds; OpenCL does not tell.
constexpr std::uint64_t kThreadsOfUnit = 2048;

FoundDevice describe(const Api& cl, cl_platform_id platform, cl_device_id device,
                     const std::string& name) {
  FoundDevice found{.platform = platform, .device = device};
  DeviceInfo& info = found.info;
  const std::string platform_name = text_of(cl.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
  const std::string driver = text_of(cl.clGetDeviceInfo, device, CL_DRIVER_VERSION);
  info.name = name;
  info.detail = text_of(cl.clGetDeviceInfo, device, CL_DEVICE_NAME);
  info.driver = fmt::format("{} {}", platform_name, driver);
  info.compute = text_of(cl.clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_VERSION);
  info.compute = info.compute.substr(0, std::min(info.compute.size(), sizeof("OpenCL C 1.2") - 1));
  cl_ulong memory_bytes = 0;
  ask(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, memory_bytes);
  info.memory_bytes = memory_bytes;
  cl_device_fp_config fp64 = 0;
  ask(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG, fp64);
  constexpr cl_device_fp_config kNeeded = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_DENORM;
  info.fp64 = (fp64 & kNeeded) == kNeeded;
  cl_device_type type = 0;
  ask(cl, device, CL_DEVICE_TYPE, type);
  // With the fault point, `auto` takes a CPU device as it takes a GPU.
  info.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0 || base::fault("device.opencl.gpu");
  cl_uint units = 0;
  ask(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS, units);
  info.threads = info.is_gpu ? std::uint64_t{units} * kThreadsOfUnit : 0;
  info.uuid = uuid_of(cl, device);
  info.pci = pci_of(cl, device);
  info.reason = reason_against(cl, device, info);
  found.identity =
      fmt::format("{}\n{}\n{}\n{}\n", text_of(cl.clGetPlatformInfo, platform, CL_PLATFORM_VERSION),
                  platform_name, info.detail, driver);
  return found;
}

template <class Id, class List>
std::vector<Id> ids_of(List list) {
  cl_uint count = 0;
  if (list(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<Id> ids(count);
  if (list(count, ids.data(), nullptr) != CL_SUCCESS) return {};
  return ids;
}

}  // namespace

std::vector<FoundDevice> find_devices(std::string& reason) {
  const Api* const cl = find_api(reason);
  if (cl == nullptr) return {};
  std::vector<FoundDevice> found;
  const auto platforms =
      ids_of<cl_platform_id>([&](auto... args) { return cl->clGetPlatformIDs(args...); });
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    const auto devices = ids_of<cl_device_id>([&](auto... args) {
      return cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, args...);
    });
    for (std::size_t d = 0; d < devices.size(); ++d) {
      found.push_back(describe(*cl, platforms[p], devices[d], fmt::format("opencl:{}.{}", p, d)));
    }
  }
  if (platforms.empty()) reason = "no OpenCL platform: the loader is here, a driver is not";
  if (!platforms.empty() && found.empty()) reason = "OpenCL platforms without devices";
  return found;
}

}  // namespace tessera::device::opencl
