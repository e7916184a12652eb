// Opens the devices of a rank for a reduction.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "binding/rank_devices.hpp"
#include "job/reduce_job.hpp"

namespace tessera::reduce {

struct ReduceDevices {
  const job::ReduceJob& job;
  bool generated = false;  ///< see ReductionKind
  std::string items;       ///< what messages call the work items; see RankDevices
};

/// Collective. `check` throws DeviceError for a device that lacks memory. If `auto` chose that
/// device, the rank then uses its CPU cores.
void open_reduce_devices(std::optional<binding::RankDevices>& devices, const ReduceDevices& wanted,
                         comm::World& world,
                         const std::function<void(const device::Device&)>& check);

}  // namespace tessera::reduce
