#include "device/cuda/cuda.hpp"

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "device/cuda/cuda_array_stream.hpp"
#include "device/cuda/cuda_probe.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/host/cpu_threads.hpp"
#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The first driver for the CUDA of this build; any version with the same first number will do.
std::string_view driver_of_build() {
  constexpr int kMajor = CUDART_VERSION / 1000;
  return kMajor == 11 ? "450" : kMajor == 12 ? "525" : kMajor == 13 ? "580" : "a newer one";
}

std::string reason_of_old_driver(int driver) {
  return fmt::format(
      "the driver supports CUDA {}; this build needs {}.0: update the driver to {} or build with "
      "an older CUDA",
      version_text(driver), CUDART_VERSION / 1000, driver_of_build());
}

/// The number of devices; if 0, `reason` says why.
int count_devices(std::string& reason) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  int driver = 0;
  const bool known = cudaDriverGetVersion(&driver) == cudaSuccess;
  cudaGetLastError();
  if (known && driver == 0) {
    reason = "no NVIDIA driver on this machine";
  } else if (known && code == cudaErrorInsufficientDriver) {
    reason = reason_of_old_driver(driver);
  } else if (code == cudaErrorNoDevice || code == cudaSuccess) {
    reason = "no NVIDIA GPU that this process may see (CUDA_VISIBLE_DEVICES)";
  } else {
    reason = cudaGetErrorString(code);
  }
  return 0;
}

/// Why the device cannot render, or "". Checks only what is known without using the device.
std::string reason_of_device(int device, const cudaDeviceProp& properties) {
  const int architecture = 10 * properties.major + properties.minor;
  if (architecture < TESSERA_CUDA_LOWEST_ARCHITECTURE) {
    return fmt::format("compute capability {}.{}: this build has kernels from {}.{} on",
                       properties.major, properties.minor, TESSERA_CUDA_LOWEST_ARCHITECTURE / 10,
                       TESSERA_CUDA_LOWEST_ARCHITECTURE % 10);
  }
  int mode = cudaComputeModeDefault;
  const cudaError_t code = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device);
  if (code == cudaSuccess && mode == cudaComputeModeProhibited) {
    return "its compute mode prohibits programs";
  }
  cudaGetLastError();
  return "";
}

/// GPUs for computing have a half of the speed of f32, those for pictures 1/64.
bool is_fp64_fast(int device) {
  // not crossed: the CUDA runtime for tests has one kind of GPU
  constexpr int kMostTimes = 4;
  int times = 0;
  const cudaError_t code =
      cudaDeviceGetAttribute(&times, cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  if (code != cudaSuccess) cudaGetLastError();
  return code == cudaSuccess && times > 0 && times <= kMostTimes;
}

/// The uuid of the device, or of the MIG instance if it is one. cudaDeviceProp does not specify
/// which of the two it contains; version 2 of cuDeviceGetUuid (CUDA 11.4) does.
std::string uuid_of(int device, const cudaDeviceProp& properties) {
  constexpr unsigned kVersion = 11040;
  cudaUUID_t uuid = properties.uuid;
  void* get = nullptr;
  auto status = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code = cudaGetDriverEntryPointByVersion("cuDeviceGetUuid", &get, kVersion,
                                                            cudaEnableDefault, &status);
  if (code == cudaSuccess && status == cudaDriverEntryPointSuccess && get != nullptr) {
    cudaUUID_t of_instance{};
    // A CUdevice is the device's number; 0 is CUDA_SUCCESS.
    if (reinterpret_cast<int (*)(cudaUUID_t*, int)>(get)(&of_instance, device) == 0) {
      uuid = of_instance;
    }
  }
  cudaGetLastError();
  std::string text;
  for (const char byte : uuid.bytes)
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

/// Creates a context on the device and loads a kernel. That may fail because of the compute mode,
/// for lack of memory, or because the binary contains neither a kernel for the device nor PTX that
/// its driver can compile.
cudaError_t prepare_to_work(int device, Opening& opening) {
  cudaError_t code =
      timed(opening, OpeningPart::context, [device] { return cudaSetDevice(device); });
  if (code == cudaSuccess) code = timed(opening, OpeningPart::kernels, kernels::find_a_kernel);
  if (code != cudaSuccess) cudaGetLastError();
  return code;
}

/// Allocates nothing on the device, because another rank may be about to use it.
DeviceInfo describe(int device, const Placement& placement) {
  DeviceInfo info{
      .name = fmt::format("cuda:{}", device), .is_gpu = true, .lanes = gpu_lanes(placement)};
  cudaDeviceProp properties{};
  cudaError_t code = cudaGetDeviceProperties(&properties, device);
  int driver = 0;
  if (code == cudaSuccess) code = cudaDriverGetVersion(&driver);
  if (code != cudaSuccess) {
    cudaGetLastError();
    info.reason = text_of(code);
    return info;
  }
  info.detail = properties.name;
  info.memory_bytes = properties.totalGlobalMem;
  info.threads = static_cast<std::uint64_t>(properties.multiProcessorCount) *
                 static_cast<std::uint64_t>(properties.maxThreadsPerMultiProcessor);
  info.fast_fp64 = is_fp64_fast(device);
  info.driver = fmt::format("CUDA {}", version_text(driver));
  info.compute = fmt::format("{}.{}", properties.major, properties.minor);
  info.uuid = uuid_of(device, properties);
  info.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID,
                         properties.pciDeviceID);
  info.reason = reason_of_device(device, properties);
  return info;
}

int select(std::string_view selector) {
  const int device = selector.empty() ? 0 : base::read_integer<int>(selector).value_or(-1);
  if (device < 0) {
    throw base::usage_error("--device cuda:{}: a device of CUDA is cuda:NUMBER, for example cuda:0",
                            selector);
  }
  std::string reason;
  const int count = count_devices(reason);
  if (count == 0) throw base::missing_error("--device cuda: {}", reason);
  if (device >= count) {
    throw base::missing_error("--device cuda:{}: this process sees {}, from 0 on", device,
                              base::count_of(count, "CUDA device"));
  }
  return device;
}

}  // namespace

void start_driver() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) cudaGetLastError();
}

std::vector<DeviceInfo> list(const Placement& placement) {
  std::string reason;
  const int count = count_devices(reason);
  std::vector<DeviceInfo> infos;
  infos.reserve(static_cast<std::size_t>(count) + 1);
  for (int device = 0; device < count; ++device) infos.push_back(describe(device, placement));
  if (infos.empty()) infos.push_back({.name = "cuda", .reason = reason, .is_gpu = true});
  return infos;
}

std::unique_ptr<gpu::GpuDevice> open(std::string_view selector, const Placement& placement) {
  const int device = select(selector);
  DeviceInfo info = describe(device, placement);
  Opening opening;
  cudaError_t code = cudaSuccess;
  if (info.reason.empty()) code = prepare_to_work(device, opening);
  if (is_busy(code)) {
    throw DeviceBusyError(
        fmt::format("{}: {} cannot be used now: {}", info.name, info.detail, text_of(code)));
  }
  if (code != cudaSuccess) info.reason = text_of(code);
  if (!info.reason.empty()) {
    throw base::missing_error("--device {}: {} cannot be used: {}", info.name, info.detail,
                              info.reason);
  }
  const int lanes = info.lanes;
  const auto budget = std::make_shared<gpu::MemoryBudget>(info.name, placement.device_memory_bytes);
  const auto tables = std::make_shared<CudaStream::DeepTables>();
  return std::make_unique<gpu::GpuDevice>(
      std::move(info), lanes, budget->limit_bytes(),
      [device, budget, tables] { return std::make_unique<CudaStream>(device, budget, tables); },
      [device, budget] { return open_array_stream(device, budget); }, std::move(opening));
}

std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement) {
  const int device = select(selector);
  return make_bench_arrays(device,
                           std::make_shared<gpu::MemoryBudget>(fmt::format("cuda:{}", device),
                                                               placement.device_memory_bytes));
}

}  // namespace tessera::device::cuda
