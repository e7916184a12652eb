// NVIDIA's management library for tests of the program: libnvidia-ml.so.1, to be found by
// LD_LIBRARY_PATH.
//   FAKE_NVML_LOG          a line for each call: the process, the function, of an energy its mJ
//   FAKE_NVML_UNSUPPORTED  a function that answers NOT_SUPPORTED
//   FAKE_NVML_HANGS        "FUNCTION:N": its N-th call never returns
// With FAKE_NVML_OLD it lacks a function, as that of an old driver does.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6;

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

/// How often each function was called.
std::map<std::string, int>& calls() {
  static std::map<std::string, int> calls;
  return calls;
}

std::mutex& order() {
  static std::mutex mutex;
  return mutex;
}

void log(const std::string& function, unsigned long long value) {
  const std::string path = text_of("FAKE_NVML_LOG");
  std::FILE* const file = path.empty() ? nullptr : std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  std::fprintf(file, "%d %s %llu\n", ::getpid(), function.c_str(), value);
  std::fclose(file);
}

int answer(const std::string& function, unsigned long long value = 0) {
  const int call = [&] {
    const std::scoped_lock lock(order());
    log(function, value);
    return ++calls()[function];
  }();
  std::string this_call = function;
  this_call.append(":").append(std::to_string(call));
  while (text_of("FAKE_NVML_HANGS") == this_call) ::pause();
  return text_of("FAKE_NVML_UNSUPPORTED") == function ? kNotSupported : kSuccess;
}

struct Utilization {
  unsigned gpu_percent, memory_percent;
};
struct Memory {
  unsigned long long total_bytes, free_bytes, used_bytes;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return answer("nvmlInit_v2");
}
int nvmlShutdown() {
  return answer("nvmlShutdown");
}
/// The GPUs of the CUDA runtime for tests.
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
  if (std::strncmp(pci, "0000:", 5) != 0) return kNotFound;
  *device = static_cast<void*>(device);
  return answer("nvmlDeviceGetHandleByPciBusId_v2");
}
#ifndef FAKE_NVML_OLD
/// More at each call, by steps that grow, so that no two differences of readings are the same.
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* energy_mj) {
  static unsigned long long energy = 9'876'543'210'000, step = 0;
  {
    const std::scoped_lock lock(order());
    *energy_mj = energy += 1000 + 7 * ++step;
  }
  return answer("nvmlDeviceGetTotalEnergyConsumption", *energy_mj);
}
#endif
/// The first one is the highest.
int nvmlDeviceGetPowerUsage(void*, unsigned* power_mw) {
  static std::atomic<bool> first = true;
  *power_mw = first.exchange(false) ? 650'500 : 350'250;
  return answer("nvmlDeviceGetPowerUsage");
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  *degrees = sensor == 0 ? 61 : 99;
  return answer("nvmlDeviceGetTemperature");
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1755 : 2619;
  return answer("nvmlDeviceGetClockInfo");
}
int nvmlDeviceGetUtilizationRates(void*, Utilization* use) {
  *use = {97, 12};
  return answer("nvmlDeviceGetUtilizationRates");
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {150'000'000'000, 148'000'000'000, 2'000'000'000};
  return answer("nvmlDeviceGetMemoryInfo");
}

}  // extern "C"
