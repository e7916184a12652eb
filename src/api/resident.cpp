#include "api/resident.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/run.hpp"
#include "device/powers/power_reducers.hpp"
#include "device/select/registry.hpp"
#include "statistics/operations.hpp"

namespace tessera::api {
namespace {

/// How many reducers wait for a call that is like an earlier one. Each has a MiB of the GPU.
// crossed by: cuda_array_test.of_every_type
constexpr std::size_t kKeptReducers = 8;

bool may_work(const std::string& requested, const std::string& gpu) {
  return requested == "auto" || requested == "gpu" || requested == gpu ||
         requested == gpu.substr(0, gpu.find(':'));
}

/// A reducer, kept from an earlier call or new.
std::unique_ptr<device::Reducer> reducer_of(Context::State& context, const std::string& name,
                                            const statistics::ReductionSpec& spec) {
  Gpu& gpu = context.gpus[name];
  if (!gpu.device) {
    const device::Placement placement{.device_memory_bytes = context.settings.device_memory_bytes};
    gpu.device = std::move(device::open_devices(name, placement).front());
  }
  const auto kept = std::ranges::find(gpu.idle, spec, &Gpu::IdleReducer::spec);
  if (kept == gpu.idle.end()) return device::open_reducer(*gpu.device, spec);
  auto reducer = std::move(kept->reducer);
  gpu.idle.erase(kept);
  return reducer;
}

void keep(Gpu& gpu, const statistics::ReductionSpec& spec,
          std::unique_ptr<device::Reducer> reducer) {
  if (gpu.idle.size() == kKeptReducers) gpu.idle.erase(gpu.idle.begin());
  gpu.idle.push_back({spec, std::move(reducer)});
}

/// Kernels read whole vectors of aligned elements. Elements before the first vector and behind the
/// last one are copied to the host first.
statistics::Partial reduce_with(device::Reducer& reducer, const job::InDeviceMemory& all,
                                const statistics::ReductionSpec& spec) {
  constexpr std::size_t kVector = statistics::ResidentElements::kAlignment;
  statistics::Partial sums;
  std::size_t at = 0;
  const auto add = [&](const statistics::Elements& elements, std::size_t bytes) {
    const auto first = static_cast<std::int64_t>(at / base::element_bytes(spec.type));
    reducer.reduce(elements, {.of = [=](std::int64_t i) { return first + i; }, .in_order = true},
                   sums);
    at += bytes;
  };
  const auto add_copied = [&](std::size_t bytes) {
    std::array<std::byte, kVector> copied{};
    if (bytes == 0) return;
    all.copy(at, std::span(copied).first(bytes));
    add(std::span<const std::byte>(copied).first(bytes), bytes);
  };
  const auto address = reinterpret_cast<std::uintptr_t>(all.bytes.data());
  add_copied(std::min<std::size_t>(all.bytes.size(), -address % kVector));
  const std::size_t whole = (all.bytes.size() - at) / kVector * kVector;
  if (whole > 0) add(statistics::ResidentElements{all.bytes.subspan(at, whole)}, whole);
  add_copied(all.bytes.size() - at);
  return sums;
}

}  // namespace

std::optional<job::InDeviceMemory> resident_elements(const Settings& settings,
                                                     const job::ReduceJob& job) {
  const auto& reader = job.inputs.front().reader;
  auto found = reader ? reader->in_device_memory() : std::nullopt;
  if (!found || found->bytes.empty() || !may_work(settings.device, found->device)) return {};
  const auto spec = statistics::spec_of(reader->type(), job);
  if (spec.places && !found->c_order) return {};
  if (spec.has_powers() || !std::ranges::all_of(job.operations, statistics::merges)) return {};
  return found;
}

std::optional<statistics::Partial> reduce_resident(Context::State& context,
                                                   const job::InDeviceMemory& elements,
                                                   const statistics::ReductionSpec& spec) {
  const std::shared_ptr<void> current = elements.hold();
  const auto refused = [&](const char* why) {
    context.gpus.erase(elements.device);
    base::log("reduce: {}; reads the array from it", why);
    return std::nullopt;
  };
  try {
    auto reducer = reducer_of(context, elements.device, spec);
    statistics::Partial sums = reduce_with(*reducer, elements, spec);
    keep(context.gpus[elements.device], spec, std::move(reducer));
    return sums;
  } catch (const device::DeviceBusyError& error) {
    return refused(error.what());
  } catch (const device::DeviceError& error) {
    context.gpus.erase(elements.device);
    throw base::run_error("{}: {}", elements.device, error.what());
  } catch (const base::Error& error) {
    if (error.code() != base::ExitCode::missing) throw;
    return refused(error.what());
  }
}

}  // namespace tessera::api
