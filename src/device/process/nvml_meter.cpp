// The types of the functions are those of https://docs.nvidia.com/deploy/nvml-api (version 2 of the
// interface, since driver 450); its header is not needed.
#include "device/process/nvml_meter.hpp"

#include <dlfcn.h>

#include <optional>

namespace tessera::device::process {
namespace {

using Device = void*;

constexpr int kSuccess = 0;
constexpr int kSensorOfGpu = 0;
constexpr int kClockOfMultiprocessors = 1;

struct Utilization {
  unsigned gpu_percent, memory_percent;
};
struct Memory {
  unsigned long long total_bytes, free_bytes, used_bytes;
};

}  // namespace

struct NvmlMeter::Api {
  void* library;
  int (*init)();
  int (*shutdown)();
  int (*find)(const char* pci, Device*);
  int (*energy_mj)(Device, unsigned long long*);
  int (*power_mw)(Device, unsigned*);
  int (*temperature_c)(Device, int sensor, unsigned*);
  int (*clock_mhz)(Device, int clock, unsigned*);
  int (*utilization)(Device, Utilization*);
  int (*memory)(Device, Memory*);
  Device device = nullptr;

  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
  }
  explicit Api(void* opened) : library(opened) {
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(find, "nvmlDeviceGetHandleByPciBusId_v2");
    load(energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
    load(power_mw, "nvmlDeviceGetPowerUsage");
    load(temperature_c, "nvmlDeviceGetTemperature");
    load(clock_mhz, "nvmlDeviceGetClockInfo");
    load(utilization, "nvmlDeviceGetUtilizationRates");
    load(memory, "nvmlDeviceGetMemoryInfo");
  }
  bool can_find() const { return init != nullptr && shutdown != nullptr && find != nullptr; }

  /// What a function gives by its last argument; nothing if it is missing or refuses.
  template <class Value, class Function, class... Taken>
  std::optional<Value> ask(Function* function, Taken... taken) const {
    Value value{};
    if (function == nullptr || function(device, taken..., &value) != kSuccess) return std::nullopt;
    return value;
  }
};

NvmlMeter::NvmlMeter(const std::string& pci) {
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  auto api = std::make_unique<Api>(library);
  if (!api->can_find() || api->init() != kSuccess) return;
  if (api->find(pci.c_str(), &api->device) == kSuccess) {
    api_ = std::move(api);
  } else {
    api->shutdown();
  }
}

/// The library stays loaded: the driver's own threads may be in it.
NvmlMeter::~NvmlMeter() {
  if (api_) api_->shutdown();
}

base::Reading NvmlMeter::read() {
  base::Reading reading;
  if (!api_) return reading;
  const auto put = [](double& to, const auto& told, double unit) {
    if (told) to = static_cast<double>(*told) * unit;
  };
  put(reading.energy_j, api_->ask<unsigned long long>(api_->energy_mj), 1e-3);
  put(reading[base::Measure::power], api_->ask<unsigned>(api_->power_mw), 1e-3);
  put(reading[base::Measure::temperature], api_->ask<unsigned>(api_->temperature_c, kSensorOfGpu),
      1);
  put(reading[base::Measure::clock], api_->ask<unsigned>(api_->clock_mhz, kClockOfMultiprocessors),
      1e6);
  if (const auto use = api_->ask<Utilization>(api_->utilization)) {
    reading[base::Measure::utilization] = use->gpu_percent * 0.01;
  }
  if (const auto memory = api_->ask<Memory>(api_->memory)) {
    reading[base::Measure::memory] = static_cast<double>(memory->used_bytes);
  }
  return reading;
}

}  // namespace tessera::device::process
